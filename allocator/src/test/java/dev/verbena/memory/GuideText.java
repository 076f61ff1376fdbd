package dev.verbena.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A guide's Java snippets, which must be in the test that runs them: word for word, whatever the lines and the indentation there. */
record GuideText(List<String> snippets) {
    private static final Pattern SNIPPET = Pattern.compile("^```java\\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

    static GuideText of(String path) throws IOException {
        return new GuideText(SNIPPET.matcher(read(path)).results().map(MatchResult::group).map(GuideText::code)
                .toList());
    }

    static String sourceOf(Class<?> test) throws IOException {
        return read("allocator/src/test/java/" + test.getName().replace('.', '/') + ".java");
    }

    /** Those that the source does not have. */
    List<String> missingIn(String source) {
        String code = code(source);
        return snippets.stream().filter(snippet -> !code.contains(snippet)).toList();
    }

    /** Without what a formatter may change, and without the fences. */
    private static String code(String text) {
        return text.lines().filter(line -> !line.startsWith("```")).collect(Collectors.joining())
                .replaceAll("\\s+", "");
    }

    static String read(String path) throws IOException {
        return Files.readString(Path.of(System.getProperty("verbena.home"), path));
    }
}
