package quill.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Locale;
import java.util.Properties;
import quill.syntax.Lexer;
import quill.syntax.Token;
import quill.text.Nullable;
import quill.text.Strings;

/** The colours in which an editor shows a program, one for each group of tokens. */
public class Theme {
    /**
     * A colour of the screen.
     *
     * @param name how people call it
     * @param code red, green and blue, eight bits each
     */
    public record Colour(String name, int code) {
        /** How bright the colour looks, from 0 to 255. */
        public int brightness() {
            int red = code >> 16 & 0xff;
            int green = code >> 8 & 0xff;
            return (red * 3 + green * 6 + (code & 0xff)) / 10;
        }

        /** Six digits of base sixteen, as style sheets have them. */
        public String hex() {
            return "#" + Strings.hex(code, 6);
        }
    }

    private static final Colour[] NAMED = {
        new Colour("black", 0),
        new Colour("blue", 0x2040c0),
        new Colour("green", 0x108030),
        new Colour("orange", 0xe08000),
        new Colour("white", 0xffffff),
    };

    private final Properties settings = new Properties();

    /** Sets the colour of a group. */
    public Theme with(String group, String colour) {
        settings.setProperty(group, colour);
        return this;
    }

    /**
     * Reads {@code group = colour}, one a line, up to a blank line.
     *
     * @throws IOException if the lines cannot be read
     */
    public void read(Reader source) throws IOException {
        BufferedReader lines = new BufferedReader(source);
        String line = lines.readLine();
        while (!line.isBlank()) {
            int sign = line.indexOf('=');
            if (sign > 0) {
                with(line.substring(0, sign).strip(), line.substring(sign + 1).strip());
            }
            line = lines.readLine();
        }
    }

    /**
     * Finds a colour by its name or its digits: {@code blue} or {@code #2040c0}.
     *
     * @return the colour, or {@code null} if there is no such colour
     */
    public static Colour parse(String text) {
        String wanted = text.toLowerCase(Locale.ROOT);
        for (Colour colour : NAMED) {
            if (colour.name().equals(wanted)) {
                return colour;
            }
        }
        if (wanted.length() != 7 || wanted.charAt(0) != '#') {
            return null;
        }
        int code = Strings.unhex(wanted.substring(1));
        return code < 0 ? null : new Colour(wanted, code);
    }

    /** What the settings say about a group; {@code null} if they say nothing. */
    @Nullable
    public String setting(String group) {
        return settings.getProperty(group);
    }

    /** The colour of a group; black if the settings say nothing or nothing sensible. */
    public Colour colour(String group) {
        String setting = setting(group);
        if (setting == null) {
            return NAMED[0];
        }
        Colour colour = parse(setting);
        return colour == null ? NAMED[0] : colour;
    }

    /** Tells whether a group is shown in capitals, which its setting says with a star. */
    public boolean isLoud(String group) {
        return setting(group).endsWith("*");
    }

    /** How bright the page behind the program is. */
    public int pageBrightness() {
        String page = setting("page");
        return parse(page == null ? "white" : page).brightness();
    }

    /** How much a colour stands out from the page; letters need 60 or more. */
    public int contrast(String colour) {
        Colour letters = parse(colour);
        return Math.abs(letters.brightness() - pageBrightness());
    }

    /** The width of a tabulator on the screen. */
    public int tabulator() {
        String width = settings.getProperty("tabulator");
        return width.isBlank() ? 4 : Integer.parseInt(width.strip());
    }

    /** The group of a word, as the settings would call it. */
    public static String groupOf(String word) {
        Token.Kind kind = Token.Kind.ofSpelling(word);
        return kind.group();
    }

    /** The colour in which a keyword or a sign of the language is shown. */
    public Colour colourOf(String word) {
        Token.Kind kind = Token.Kind.ofSpelling(word);
        return colour(kind == null ? "name" : kind.group());
    }

    /** A program with a mark before each token that is not black. */
    public String mark(String program) {
        StringBuilder out = new StringBuilder();
        for (Token token : Lexer.tokens(program)) {
            Colour colour = colour(token.kind().group());
            if (colour.code() != 0 && !token.is(Token.Kind.END)) {
                out.append('<').append(colour.hex()).append('>');
            }
            out.append(token.text());
        }
        return out.toString();
    }
}
