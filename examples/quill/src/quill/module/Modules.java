package quill.module;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import quill.syntax.Expr;
import quill.syntax.FreeNames;
import quill.syntax.Parser;
import quill.syntax.Parser.Statement;
import quill.syntax.SyntaxException;
import quill.text.Nullable;
import quill.text.SourceText;

/** Programs that others can use, by name. */
public class Modules {
    /** A module: its definitions, and what its first lines say. */
    public static final class Module {
        private final String name;
        private final Map<String, Expr> definitions = new LinkedHashMap<>();
        private final Map<String, String> header = new HashMap<>();

        Module(String name) {
            this.name = Objects.requireNonNull(name, "name");
        }

        public String name() {
            return name;
        }

        /** What the header says about something; {@code null} if it does not. */
        @Nullable
        public String about(String what) {
            return header.get(what);
        }

        /** The definition of a name; {@code null} if the module has none. */
        @Nullable
        public Expr definition(String of) {
            return definitions.get(of);
        }

        /** The version that the header gives. */
        public Version version() {
            return Version.parseOrFirst(about("version"));
        }

        /** The last name of whoever wrote the module. */
        public String author() {
            String author = about("author");
            return author.substring(author.lastIndexOf(' ') + 1);
        }

        /** The names a definition takes from elsewhere. */
        public List<String> uses(String of) {
            return List.copyOf(FreeNames.of(definition(of)));
        }

        /** Where a definition begins in the module's text. */
        public int offsetOf(String of) {
            Expr expr = definition(of);
            return expr == null ? -1 : expr.offset();
        }

        /** How many parameters a function of the module has; 0 for any other value. */
        public int arity(String of) {
            Expr expr = definition(of);
            if (expr instanceof Expr.Function function) {
                return function.parameters().size();
            }
            return 0;
        }
    }

    private final Map<String, Module> loaded = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    /**
     * Loads a module from its text. Comments at its beginning are the header: {@code #version 1.2}.
     *
     * @return the module; what cannot be read is kept as a problem
     */
    public Module load(String name, String text) {
        Module module = new Module(name);
        readHeader(module, text);
        for (Statement statement : statements(new SourceText(name, text))) {
            if (statement.defines()) {
                module.definitions.put(statement.name(), statement.expr());
            }
        }
        loaded.put(name, module);
        return module;
    }

    /** Reads the lines at the beginning that are comments. */
    private static void readHeader(Module module, String text) {
        for (String line : text.split("\n")) {
            if (!line.startsWith("#")) {
                return;
            }
            int space = line.indexOf(' ');
            if (space > 0) {
                module.header.put(line.substring(1, space), line.substring(space + 1).strip());
            }
        }
    }

    /** Reads statements; a text that is wrong is noted, and is as good as none. */
    private List<Statement> statements(SourceText source) {
        List<Statement> found = List.of();
        try {
            found = new Parser(source).program();
        } catch (SyntaxException wrong) {
            problems.add(wrong.explain(source));
        }
        return found;
    }

    /** The one expression of a text, for settings that are written in the language. */
    public int offsetOfSetting(String text) {
        Expr expr = null;
        try {
            expr = Parser.expression(text);
        } catch (SyntaxException wrong) {
            problems.add(wrong.getMessage());
        }
        return expr.offset();
    }

    public List<String> problems() {
        return problems;
    }

    /** A module that was loaded; {@code null} if it was not. */
    public Module module(String name) {
        return loaded.get(name);
    }

    /** The module that defines a name; {@code null} if none does. */
    public Module homeOf(String name) {
        for (Module module : loaded.values()) {
            if (module.definition(name) != null) {
                return module;
            }
        }
        return null;
    }

    /** Tells whether a name is defined anywhere. */
    public boolean knows(String name) {
        return homeOf(name) != null;
    }

    /** A name with its module before it: {@code lists.sum}. */
    public String qualified(String name) {
        return homeOf(name).name() + "." + name;
    }

    /** The version of a module. */
    public String versionOf(String name) {
        Module module = module(name);
        return module.version().toString();
    }

    /** Tells whether a module is there that is new enough. */
    public boolean has(String name, Version wanted) {
        Module module = module(name);
        return module != null && module.version().serves(wanted);
    }

    /** Looks {@code module.name} up. */
    public Expr resolve(String qualified) {
        int dot = qualified.indexOf('.');
        Module module = module(qualified.substring(0, dot));
        Expr found = module.definition(qualified.substring(dot + 1));
        return Objects.requireNonNull(found, qualified);
    }

    /** The licence of the module that defines a name, in small letters. */
    public String licenceFor(String name) {
        Module home = homeOf(name);
        if (home == null) {
            return "none";
        }
        return home.about("licence").toLowerCase();
    }

    /** The first words of a module's description. */
    public static String blurb(Module module, int width) {
        String text = module.about("about");
        if (text == null || text.length() <= width) {
            return text;
        }
        return text.substring(0, width).stripTrailing() + "…";
    }

    /** How long the line about a module is on the screen. */
    public static int blurbWidth(Module module) {
        return module.name().length() + 2 + blurb(module, 40).length();
    }
}
