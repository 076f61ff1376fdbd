package dev.verbena.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What every source file keeps to; each rule a function from a file's text to what is wrong with it. */
final class SourceRules {
    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "^public (?:abstract |final |sealed |non-sealed |strictfp )*(?:class|interface|enum|record|@interface) (\\w+)",
            Pattern.MULTILINE);
    private static final Pattern UNSAFE = Pattern
            .compile("\\bsun\\.misc\\.|\\bjdk\\.internal\\.|\\bUns[a]fe\\b");
    private static final Pattern OPENS = Pattern.compile("--(?:add-(?:opens|exports)|illegal-access)");
    private static final Pattern PRINTS = Pattern.compile("System\\.(?:out|err)\\b|\\.printStackTrace\\(\\)");
    private static final Pattern LINE_COMMENT = Pattern.compile("//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);

    private SourceRules() {}

    /** A public type's Javadoc says who owns it and which threads may use it. */
    static List<String> undocumented(String file, String text) {
        List<String> wrong = new ArrayList<>();
        Matcher type = PUBLIC_TYPE.matcher(text);
        while (type.find()) {
            String before = text.substring(0, type.start());
            int start = before.lastIndexOf("/**");
            String javadoc = start < 0 ? "" : before.substring(start);
            for (String word : List.of("Owner", "Threading")) {
                if (!javadoc.contains("<b>" + word + ":</b>")) {
                    wrong.add(file + ": public type " + type.group(1) + " does not say <b>" + word + ":</b>");
                }
            }
        }
        return wrong;
    }

    /** No back doors into the JDK, in code or in the build. */
    static List<String> backDoors(String file, String text) {
        List<String> wrong = new ArrayList<>();
        if (file.endsWith(".java") && UNSAFE.matcher(withoutComments(text)).find()) {
            wrong.add(file + ": uses the JDK's internals");
        }
        if (OPENS.matcher(text).find()) {
            wrong.add(file + ": opens the JDK's packages");
        }
        return wrong;
    }

    /** Libraries do not print: their users own standard output and error. */
    static List<String> prints(String file, String text) {
        return PRINTS.matcher(withoutComments(text)).find() ? List.of(file + ": prints; use a logger or an exception")
                : List.of();
    }

    static String withoutComments(String text) {
        return LINE_COMMENT.matcher(text).replaceAll("");
    }
}
