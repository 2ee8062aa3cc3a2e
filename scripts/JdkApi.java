import com.sun.source.util.JavacTask;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.ElementFilter;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Prints the public API of the running JDK: the public and protected types of the packages that
 * the java.* modules export, and the types that those inherit from. With arguments, only the named
 * types.
 *
 * A type is a line of its name, kind, flags, type parameters and supertypes (the superclass first),
 * separated by tabs; then a line for each public or protected member: flags, name, type parameters,
 * parameters' types separated by semicolons, type. A field has no parameters' column. An empty line
 * ends the type.
 */
public class JdkApi {
    public static void main(String[] wanted) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(
            null, null, null, List.of("--add-modules", "ALL-SYSTEM"), List.of("java.lang.Object"), null);
        task.getElements().getTypeElement("java.lang.Object");
        Map<String, TypeElement> found = new TreeMap<>();
        for (ModuleElement module : task.getElements().getAllModuleElements()) {
            if (!module.getQualifiedName().toString().startsWith("java.")) {
                continue;
            }
            for (ModuleElement.ExportsDirective export :
                    ElementFilter.exportsIn(module.getDirectives())) {
                if (export.getTargetModules() == null) {
                    for (TypeElement type : ElementFilter.typesIn(
                            export.getPackage().getEnclosedElements())) {
                        collect(type, found);
                    }
                }
            }
        }
        Set<String> only = new TreeSet<>(Arrays.asList(wanted));
        StringBuilder out = new StringBuilder();
        for (TypeElement type : found.values()) {
            if (only.isEmpty() || only.contains(type.getQualifiedName().toString())) {
                print(type, out);
            }
        }
        new PrintStream(System.out, true, StandardCharsets.UTF_8).print(out);
    }

    private static boolean open(Element element) {
        return element.getModifiers().contains(Modifier.PUBLIC)
            || element.getModifiers().contains(Modifier.PROTECTED);
    }

    private static void collect(TypeElement type, Map<String, TypeElement> found) {
        if (!open(type)) {
            return;
        }
        add(type, found);
        for (TypeElement member : ElementFilter.typesIn(type.getEnclosedElements())) {
            collect(member, found);
        }
    }

    /** A type with all it inherits from: members come from types that are not public, too. */
    private static void add(TypeElement type, Map<String, TypeElement> found) {
        if (found.putIfAbsent(type.getQualifiedName().toString(), type) == null) {
            for (TypeMirror above : supertypes(type)) {
                add((TypeElement) ((DeclaredType) above).asElement(), found);
            }
        }
    }

    private static List<TypeMirror> supertypes(TypeElement type) {
        List<TypeMirror> above = new ArrayList<>();
        if (type.getSuperclass().getKind() == TypeKind.DECLARED) {
            above.add(type.getSuperclass());
        }
        above.addAll(type.getInterfaces());
        return above;
    }

    private static void print(TypeElement type, StringBuilder out) {
        out.append(String.join("\t",
            type.getQualifiedName(),
            switch (type.getKind()) {
                case INTERFACE -> "interface";
                case ENUM -> "enum";
                case RECORD -> "record";
                case ANNOTATION_TYPE -> "annotation";
                default -> "class";
            },
            flags(type) + (visible(type) ? "" : "h"),
            parameters(type.getTypeParameters()),
            supertypes(type).stream().map(JdkApi::text).collect(Collectors.joining(";"))));
        out.append('\n');
        Set<String> lines = new TreeSet<>();
        for (Element member : type.getEnclosedElements()) {
            if (open(member) && member instanceof ExecutableElement method) {
                lines.add(String.join("\t",
                    flags(method) + (method.isVarArgs() ? "v" : ""),
                    method.getSimpleName(),
                    parameters(method.getTypeParameters()),
                    method.getParameters().stream().map(one -> text(one.asType()))
                        .collect(Collectors.joining(";")),
                    text(method.getReturnType())));
            } else if (open(member) && member instanceof VariableElement field) {
                lines.add(String.join("\t",
                    flags(field), field.getSimpleName(), "", text(field.asType())));
            }
        }
        for (String line : lines) {
            out.append(line).append('\n');
        }
        out.append('\n');
    }

    private static boolean visible(Element type) {
        return type instanceof PackageElement || open(type) && visible(type.getEnclosingElement());
    }

    /** s static, a abstract, d default, f final, z sealed, p protected, c enum constant. */
    private static String flags(Element element) {
        Set<Modifier> modifiers = element.getModifiers();
        return (modifiers.contains(Modifier.STATIC) ? "s" : "")
            + (modifiers.contains(Modifier.ABSTRACT) ? "a" : "")
            + (modifiers.contains(Modifier.DEFAULT) ? "d" : "")
            + (modifiers.contains(Modifier.FINAL) ? "f" : "")
            + (modifiers.contains(Modifier.SEALED) ? "z" : "")
            + (modifiers.contains(Modifier.PROTECTED) ? "p" : "")
            + (element.getKind() == ElementKind.ENUM_CONSTANT ? "c" : "");
    }

    private static String parameters(List<? extends TypeParameterElement> parameters) {
        List<String> texts = new ArrayList<>();
        for (TypeParameterElement parameter : parameters) {
            String bounds = parameter.getBounds().stream().map(JdkApi::text)
                .collect(Collectors.joining("&"));
            boolean plain = bounds.equals("java.lang.Object");
            texts.add(parameter.getSimpleName() + (plain ? "" : " extends " + bounds));
        }
        return String.join(";", texts);
    }

    /** A type as source would write it, fully qualified, without annotations. */
    private static String text(TypeMirror type) {
        if (type instanceof ArrayType array) {
            return text(array.getComponentType()) + "[]";
        }
        if (type instanceof TypeVariable variable) {
            return variable.asElement().getSimpleName().toString();
        }
        if (type instanceof WildcardType wildcard) {
            return wildcard.getExtendsBound() != null ? "? extends " + text(wildcard.getExtendsBound())
                : wildcard.getSuperBound() != null ? "? super " + text(wildcard.getSuperBound())
                : "?";
        }
        if (type instanceof IntersectionType both) {
            return both.getBounds().stream().map(JdkApi::text).collect(Collectors.joining("&"));
        }
        if (type instanceof DeclaredType declared) {
            TypeElement element = (TypeElement) declared.asElement();
            String arguments = declared.getTypeArguments().stream().map(JdkApi::text)
                .collect(Collectors.joining(","));
            return element.getQualifiedName() + (arguments.isEmpty() ? "" : "<" + arguments + ">");
        }
        return type.getKind().toString().toLowerCase();
    }
}
