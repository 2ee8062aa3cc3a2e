package quill.module;

import quill.text.Nullable;

/**
 * The version of a module.
 *
 * @param major changes when programs break
 * @param minor changes when there is something new
 */
public record Version(int major, int minor) implements Comparable<Version> {
    /** The version of a module that says nothing about it. */
    public static final Version FIRST = new Version(1, 0);

    /**
     * Reads {@code 2.1}.
     *
     * @return the version, or {@code null} if the text is none
     */
    @Nullable
    public static Version parse(String text) {
        int dot = text.indexOf('.');
        if (dot < 1) {
            return null;
        }
        try {
            int major = Integer.parseInt(text.substring(0, dot));
            return new Version(major, Integer.parseInt(text.substring(dot + 1)));
        } catch (NumberFormatException noNumber) {
            return null;
        }
    }

    /** Reads a version; the first one if nothing is written. */
    public static Version parseOrFirst(@Nullable String text) {
        Version version = text == null ? null : parse(text);
        return version == null ? FIRST : version;
    }

    /** Tells whether a program written for another version works with this one. */
    public boolean serves(Version wanted) {
        return major == wanted.major && minor >= wanted.minor;
    }

    /** Tells whether a program works that says in writing what it wants. */
    public boolean serves(String wanted) {
        Version version = parse(wanted);
        return serves(version);
    }

    /** The newer of this version and one that is written down. */
    public Version newer(String other) {
        Version version = parse(other);
        return version.compareTo(this) > 0 ? version : this;
    }

    @Override
    public int compareTo(Version other) {
        return major != other.major ? major - other.major : minor - other.minor;
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
