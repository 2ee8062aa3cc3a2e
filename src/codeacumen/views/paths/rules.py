"""Rules that map Java's syntax to the tree of JavaParser 3.0.0-alpha.4, one for each construct.

In that tree, children stand in the order in which the node's constructor sets them, not in source
order, and some constructors add a child without text that still counts (PHANTOM). A rule lists
the node's kind and its children in that order. Constructs newer than Java 8 keep the order of the
source. ``tables`` converts the rules to arrays.
"""

from __future__ import annotations

from typing import NamedTuple

from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS

# Contexts of a syntax node: the same symbol may have another rule in another context.
CONTEXTS = (
    "PLAIN",
    "STATEMENT",
    "MEMBER",
    "CONDITION",
    "LAMBDA_BODY",
    "LAMBDA_PARAMETER",
    "TYPE",
    "ANNOTATED",
)


class Rule(NamedTuple):
    """Kind and children of a JavaParser node.

    ``slots`` lists the children in the parser's order, by field or kind of our syntax:

    - ``slot/CONTEXT`` uses the rules of a context, ``slot=Rule`` a rule, ``-slot`` omits the child,
      ``slot=SPLICE`` replaces it by its children;
    - ``slot/ELEMENT`` takes an array's element type, and its brackets go to ``BRACKETS``;
    - ``slot/PAIRS`` and ``slot/LEVELS`` add a child for each pair of brackets;
    - ``~kind`` is a kind inside a child that is replaced by its children, such as a body; ``*`` is
      everything that no other slot takes;
    - ``SELF=Rule`` and ``SELF=CONTEXT`` add one more node for the same syntax;
    - ``PHANTOM`` adds a child without text.

    ``leaf`` is the text that the node has if it turns out to be a leaf: ``text``, ``name`` and
    ``type`` stand for the source of the node, of its name or of its type identifier; any other
    value is the text itself, and an empty one means that the node is no leaf, unless ``special``
    makes it one. ``special`` names a further decision in ``details`` or ``tree``.
    """

    kind: str
    slots: tuple[str, ...] = ()
    leaf: str = ""
    special: str = ""


_NOTES = ("annotation", "marker_annotation")
_DECLARED = ("modifiers", "type/ELEMENT", "declarator", "BRACKETS")

RULES: dict[str, Rule] = {
    # Types. A simple name is no child: in List<String> only String is a leaf.
    "ClassOrInterfaceType": Rule("ClassOrInterfaceType", leaf="text"),
    "ScopedType": Rule("ClassOrInterfaceType", ("*", *_NOTES), special="scoped"),
    "GenericType": Rule(
        "ClassOrInterfaceType",
        ("scoped_type_identifier=SPLICE", "type_arguments", *_NOTES),
        special="generic",
    ),
    "FieldType": Rule("ClassOrInterfaceType", ("object/TYPE",), special="scoped"),
    "PrimitiveType": Rule("PrimitiveType", leaf="text"),
    "VoidType": Rule("VoidType", leaf="text"),
    "ArrayType": Rule("ArrayType", special="array"),
    "WildcardType": Rule("WildcardType", ("-super", "*", *_NOTES), leaf="?"),
    "TypeParameter": Rule(
        "TypeParameter", ("-type_identifier", "type_bound", *_NOTES), leaf="type"
    ),
    "CaughtType": Rule("UnionType", ("*",), special="catch"),
    "IntersectionType": Rule("IntersectionType", ("type",), special="intersection"),
    # Expressions.
    "NameExpr": Rule("NameExpr", leaf="text"),
    "ThisExpr": Rule("ThisExpr", leaf="text"),
    "ThisScope": Rule("ThisExpr", ("object",)),
    "SuperExpr": Rule("SuperExpr", leaf="text"),
    "SuperScope": Rule("SuperExpr", ("object",)),
    "Integer": Rule("IntegerLiteralExpr", leaf="text", special="literal"),
    "Double": Rule("DoubleLiteralExpr", leaf="text"),
    "Char": Rule("CharLiteralExpr", leaf="text"),
    "String": Rule("StringLiteralExpr", leaf="text", special="string"),
    "Boolean": Rule("BooleanLiteralExpr", leaf="text"),
    "Null": Rule("NullLiteralExpr", leaf="text"),
    "Binary": Rule("BinaryExpr:plus", ("left", "right"), special="binary"),
    "Assign": Rule("AssignExpr:assign", ("left", "right"), special="assign"),
    "Unary": Rule("UnaryExpr:negative", ("operand",), special="unary"),
    "Update": Rule("UnaryExpr:posIncrement", ("*",), special="update"),
    "Conditional": Rule(
        "ConditionalExpr", ("condition", "consequence", "alternative"), special="conditional"
    ),
    "Cast": Rule("CastExpr", ("type", "value"), special="cast"),
    "InnerCast": Rule("CastExpr", ("SELF=IntersectionType", "value"), special="inner cast"),
    "InstanceOf": Rule("InstanceOfExpr", ("left", "right", "pattern"), special="instanceof"),
    "InstanceOfVariable": Rule("InstanceOfExpr", ("left", "SELF=BoundPattern")),
    "BoundPattern": Rule("PatternExpr", ("right", "name=PlainId")),
    "Pattern": Rule("PatternExpr", ("*", "identifier=PlainId")),
    "RecordPattern": Rule("RecordPatternExpr", ("identifier=ClassOrInterfaceType", "*")),
    "Lambda": Rule(
        "LambdaExpr", ("parameters/LAMBDA_PARAMETER", "body/LAMBDA_BODY"), special="lambda"
    ),
    "LambdaParameter": Rule("Parameter", ("SELF=PlainId",)),
    "LambdaBody": Rule("ExpressionStmt", ("SELF=PLAIN",)),
    "Enclosed": Rule("EnclosedExpr", ("*",), leaf="()"),
    "Call": Rule(
        "MethodCallExpr",
        ("object", "type_arguments", "PHANTOM", "arguments", "name=NameExpr"),
        special="call",
    ),
    "SuperCall": Rule(
        "MethodCallExpr",
        ("SELF=SuperScope", "type_arguments", "PHANTOM", "arguments", "name=NameExpr"),
    ),
    "Field": Rule("FieldAccessExpr", ("object", "PHANTOM", "field=NameExpr"), special="field"),
    "SuperField": Rule("FieldAccessExpr", ("SELF=SuperScope", "PHANTOM", "field=NameExpr")),
    "ArrayAccess": Rule("ArrayAccessExpr", ("array", "index")),
    "ObjectCreation": Rule(
        "ObjectCreationExpr",
        (
            "-annotation",
            "-marker_annotation",
            "*",
            "type",
            "type_arguments",
            "arguments",
            "class_body",
        ),
    ),
    "ArrayCreation": Rule("ArrayCreationExpr", ("dimensions/LEVELS", "type", "value")),
    "BracketPair": Rule("ArrayBracketPair", leaf="[]"),
    "ArrayLevel": Rule("ArrayCreationLevel", ("*", *_NOTES), leaf="[]"),
    "ArrayInitializer": Rule("ArrayInitializerExpr", ("*",), leaf="{}"),
    "ClassLiteral": Rule("ClassExpr", ("*",)),
    "Reference": Rule("MethodReferenceExpr", special="reference"),
    "TypeExpr": Rule("TypeExpr", ("SELF=TYPE",)),
    "SwitchExpr": Rule("SwitchExpr", ("condition/CONDITION", "body")),
    "Template": Rule("TemplateExpr", ("*",)),
    # Statements.
    "Block": Rule("BlockStmt", ("*/STATEMENT",)),
    "ExpressionStmt": Rule("ExpressionStmt", ("*",)),
    "LocalVariable": Rule("ExpressionStmt", ("SELF=VariableDeclaration",)),
    "LocalType": Rule("TypeDeclarationStmt", ("SELF=PLAIN",)),
    "VariableDeclaration": Rule("VariableDeclarationExpr", _DECLARED),
    "VariableDeclarator": Rule("VariableDeclarator", ("SELF=NamedId", "value")),
    "NamedId": Rule("VariableDeclaratorId", ("dimensions/PAIRS",), leaf="name"),
    "PlainId": Rule("VariableDeclaratorId", leaf="text"),
    "If": Rule("IfStmt", ("condition/CONDITION", "consequence/STATEMENT", "alternative/STATEMENT")),
    "While": Rule("WhileStmt", ("condition/CONDITION", "body/STATEMENT")),
    "Do": Rule("DoStmt", ("body/STATEMENT", "condition/CONDITION")),
    "For": Rule("ForStmt", ("condition", "init", "update", "body/STATEMENT")),
    "Foreach": Rule("ForeachStmt", ("SELF=ForeachVariable", "value", "body/STATEMENT")),
    "ForeachVariable": Rule(
        "VariableDeclarationExpr",
        ("modifiers", "type/ELEMENT", "SELF=ForeachDeclarator", "BRACKETS"),
    ),
    "ForeachDeclarator": Rule("VariableDeclarator", ("SELF=NamedId",)),
    "Switch": Rule("SwitchStmt", ("condition/CONDITION", "body")),
    "SwitchEntry": Rule("SwitchEntryStmt", ("switch_label", "*/STATEMENT")),
    "Try": Rule("TryStmt", ("resources", "body", "catch_clause", "finally_clause")),
    "Resource": Rule(
        "VariableDeclarationExpr",
        ("modifiers", "type/ELEMENT", "SELF=ResourceDeclarator", "BRACKETS"),
        special="resource",
    ),
    "ResourceDeclarator": Rule("VariableDeclarator", ("SELF=NamedId", "value")),
    "Catch": Rule("CatchClause", ("catch_formal_parameter", "body")),
    "CatchParameter": Rule("Parameter", ("modifiers", "SELF=NamedId", "catch_type")),
    "Synchronized": Rule("SynchronizedStmt", ("parenthesized_expression/CONDITION", "body")),
    "Return": Rule("ReturnStmt", ("*",)),
    "Throw": Rule("ThrowStmt", ("*",)),
    "Yield": Rule("YieldStmt", ("*",)),
    "Break": Rule("BreakStmt"),
    "Continue": Rule("ContinueStmt"),
    "Assert": Rule("AssertStmt", ("*",)),
    "Labeled": Rule("LabeledStmt", ("-identifier", "*/STATEMENT")),
    "Empty": Rule("EmptyStmt"),
    "ConstructorCall": Rule(
        "ExplicitConstructorInvocationStmt", ("type_arguments", "object", "arguments")
    ),
    # Declarations. If a constructor takes the name as text, the name's node comes last.
    "Method": Rule(
        "MethodDeclaration",
        (
            "modifiers",
            *_NOTES,
            "type_parameters",
            "type/ELEMENT",
            "name=NameExpr",
            "parameters",
            "BRACKETS",
            "dimensions/PAIRS",
            "throws",
            "body",
        ),
    ),
    "Constructor": Rule(
        "ConstructorDeclaration",
        (
            "modifiers",
            "type_parameters",
            "PHANTOM",
            "parameters",
            "throws",
            "body",
            "name=NameExpr",
        ),
    ),
    "CompactConstructor": Rule(
        "CompactConstructorDeclaration", ("modifiers", "name=NameExpr", "body")
    ),
    "Parameter": Rule("Parameter", ("modifiers", "SELF=NamedId", "type/ELEMENT", "BRACKETS")),
    "VariableArity": Rule(
        "Parameter",
        ("modifiers", *_NOTES, "variable_declarator=NamedId", "*/ELEMENT", "BRACKETS"),
    ),
    "Receiver": Rule("ReceiverParameter", ("*",)),
    "FieldDeclaration": Rule("FieldDeclaration", _DECLARED),
    "StaticInitializer": Rule("InitializerDeclaration", ("*",)),
    "Initializer": Rule("InitializerDeclaration", ("SELF=PLAIN",)),
    "EmptyMember": Rule("EmptyMemberDeclaration", leaf="text"),
    "Type": Rule(
        "ClassOrInterfaceDeclaration",
        (
            "modifiers",
            "PHANTOM",
            "body",
            "type_parameters",
            "superclass",
            "extends_interfaces",
            "interfaces",
            "permits",
            "name=NameExpr",
        ),
    ),
    "Enum": Rule(
        "EnumDeclaration",
        ("modifiers", "PHANTOM", "~enum_body_declarations", "interfaces", "body", "name=NameExpr"),
    ),
    "EnumConstant": Rule(
        "EnumConstantDeclaration", ("modifiers", "arguments", "body"), leaf="name"
    ),
    "AnnotationType": Rule(
        "AnnotationDeclaration", ("modifiers", "PHANTOM", "body", "name=NameExpr")
    ),
    "AnnotationMember": Rule("AnnotationMemberDeclaration", ("modifiers", "type", "value")),
    "Record": Rule(
        "RecordDeclaration",
        ("modifiers", "name=NameExpr", "type_parameters", "parameters", "interfaces", "body"),
    ),
    # Annotations.
    "MarkerAnnotation": Rule("MarkerAnnotationExpr", ("name",)),
    "Annotation": Rule("SingleMemberAnnotationExpr", ("name", "arguments"), special="annotation"),
    "Pair": Rule("MemberValuePair", ("value",)),
    "QualifiedName": Rule("QualifiedNameExpr", ("scope",)),
}

# The rule of each syntax kind by context. ``^`` replaces a node by its children, ``^CONTEXT`` by
# its children in that context. Missing kinds have no node: punctuation, keywords, comments, labels.
# Each context inherits the readings of PLAIN that it does not replace; an empty one means no node.
READINGS: dict[str, dict[str, str]] = {
    "PLAIN": {
        "type_identifier": "ClassOrInterfaceType", "scoped_type_identifier": "ScopedType",
        "generic_type": "GenericType", "integral_type": "PrimitiveType",
        "floating_point_type": "PrimitiveType", "boolean_type": "PrimitiveType",
        "void_type": "VoidType", "array_type": "ArrayType", "wildcard": "WildcardType",
        "annotated_type": "^ANNOTATED", "type_parameter": "TypeParameter",
        "catch_type": "CaughtType",
        "identifier": "NameExpr", "underscore_pattern": "NameExpr", "this": "ThisExpr",
        "super": "SuperExpr", "decimal_integer_literal": "Integer",
        "hex_integer_literal": "Integer", "octal_integer_literal": "Integer",
        "binary_integer_literal": "Integer", "decimal_floating_point_literal": "Double",
        "hex_floating_point_literal": "Double", "character_literal": "Char",
        "string_literal": "String", "true": "Boolean", "false": "Boolean", "null_literal": "Null",
        "binary_expression": "Binary", "assignment_expression": "Assign",
        "unary_expression": "Unary", "update_expression": "Update",
        "ternary_expression": "Conditional", "cast_expression": "Cast",
        "instanceof_expression": "InstanceOf", "lambda_expression": "Lambda",
        "parenthesized_expression": "Enclosed", "method_invocation": "Call",
        "field_access": "Field", "array_access": "ArrayAccess",
        "object_creation_expression": "ObjectCreation",
        "array_creation_expression": "ArrayCreation", "dimensions_expr": "ArrayLevel",
        "array_initializer": "ArrayInitializer",
        "element_value_array_initializer": "ArrayInitializer", "class_literal": "ClassLiteral",
        "method_reference": "Reference", "switch_expression": "SwitchExpr",
        "template_expression": "Template", "type_pattern": "Pattern",
        "record_pattern": "RecordPattern", "record_pattern_component": "Pattern",
        "block": "Block", "constructor_body": "Block", "expression_statement": "ExpressionStmt",
        "local_variable_declaration": "VariableDeclaration",
        "variable_declarator": "VariableDeclarator", "if_statement": "If",
        "while_statement": "While", "do_statement": "Do", "for_statement": "For",
        "enhanced_for_statement": "Foreach", "switch_block_statement_group": "SwitchEntry",
        "switch_rule": "SwitchEntry", "try_statement": "Try",
        "try_with_resources_statement": "Try", "resource": "Resource", "catch_clause": "Catch",
        "catch_formal_parameter": "CatchParameter", "synchronized_statement": "Synchronized",
        "return_statement": "Return", "throw_statement": "Throw", "yield_statement": "Yield",
        "break_statement": "Break", "continue_statement": "Continue",
        "assert_statement": "Assert", "labeled_statement": "Labeled",
        "explicit_constructor_invocation": "ConstructorCall",
        "method_declaration": "Method", "constructor_declaration": "Constructor",
        "compact_constructor_declaration": "CompactConstructor", "formal_parameter": "Parameter",
        "spread_parameter": "VariableArity", "receiver_parameter": "Receiver",
        "field_declaration": "FieldDeclaration", "constant_declaration": "FieldDeclaration",
        "static_initializer": "StaticInitializer", "class_declaration": "Type",
        "interface_declaration": "Type", "enum_declaration": "Enum",
        "enum_constant": "EnumConstant", "annotation_type_declaration": "AnnotationType",
        "annotation_type_element_declaration": "AnnotationMember", "record_declaration": "Record",
        "marker_annotation": "MarkerAnnotation", "annotation": "Annotation",
        "element_value_pair": "Pair", "scoped_identifier": "QualifiedName",
        "argument_list": "^", "formal_parameters": "^", "inferred_parameters": "^",
        "type_arguments": "^", "type_parameters": "^", "type_bound": "^", "modifiers": "^",
        "superclass": "^", "super_interfaces": "^", "extends_interfaces": "^", "type_list": "^",
        "permits": "^", "throws": "^", "annotation_argument_list": "^",
        "resource_specification": "^", "switch_block": "^", "switch_label": "^", "guard": "^",
        "pattern": "^", "record_pattern_body": "^", "finally_clause": "^", "enum_body": "^",
        "class_body": "^MEMBER", "interface_body": "^MEMBER", "annotation_type_body": "^MEMBER",
        "enum_body_declarations": "^MEMBER",
    },
    "STATEMENT": {
        ";": "Empty", "local_variable_declaration": "LocalVariable",
        "switch_expression": "Switch", "class_declaration": "LocalType",
        "interface_declaration": "LocalType", "enum_declaration": "LocalType",
        "record_declaration": "LocalType", "annotation_type_declaration": "LocalType",
    },
    "MEMBER": {";": "EmptyMember", "block": "Initializer"},
    # The parentheses of a condition belong to the statement.
    "CONDITION": {"parenthesized_expression": "^PLAIN"},
    # Filled below: an expression that is a lambda's body counts as a statement.
    "LAMBDA_BODY": {},
    "LAMBDA_PARAMETER": {"identifier": "LambdaParameter", "underscore_pattern": "LambdaParameter"},
    # That parser prefers a type wherever one is possible: foo::bar has a type expression.
    "TYPE": {"identifier": "ClassOrInterfaceType", "field_access": "FieldType"},
    # The annotations become children of the type.
    "ANNOTATED": {"annotation": "", "marker_annotation": ""},
}  # fmt: skip
_EXPRESSIONS = (
    "identifier",
    "this",
    "super",
    *NUMBER_LITERALS,
    "character_literal",
    "string_literal",
    "true",
    "false",
    "null_literal",
    "binary_expression",
    "assignment_expression",
    "unary_expression",
    "update_expression",
    "ternary_expression",
    "cast_expression",
    "instanceof_expression",
    "lambda_expression",
    "parenthesized_expression",
    "method_invocation",
    "field_access",
    "array_access",
    "object_creation_expression",
    "array_creation_expression",
    "class_literal",
    "method_reference",
    "switch_expression",
    "template_expression",
)
READINGS["LAMBDA_BODY"] = dict.fromkeys(_EXPRESSIONS, "LambdaBody")
