package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Each name in bindings/jextract.includes is used: by our code, or as a member by value of a struct that is. */
class JextractIncludesTest {
    private static final Path BINDINGS = Path.of(System.getProperty("verbena.home"), "bindings");
    private static final Path GENERATED = BINDINGS.resolve("src/main/java/dev/verbena/verbs/abi");
    /** What mentions a name without using it: comments, text blocks, strings, imports. */
    private static final Pattern NO_CODE = Pattern
            .compile("/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\""
                    + "|(?m:^import [^\n]*$)", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*");

    @Test
    void eachNameIsUsed() throws IOException {
        List<String> names = names(Files.readString(BINDINGS.resolve("jextract.includes")));
        assertTrue(names.size() > 300, "names=" + names.size());
        assertEquals(List.of(), unused(names, ourWords(), generated()),
                "take them out of bindings/jextract.includes and run jextract.sh");
    }

    @Test
    void aNameThatNobodyUsesIsFound() {
        Map<String, Set<String>> generated = Map.of("ibv_outer", words("ibv_inner.layout()"), "ibv_inner", Set.of(),
                "ibv_left", words("ibv_member.layout()"), "ibv_member", Set.of());
        String ours = """
                import static rdma_core_h.IMPORTED;
                /* IN_A_COMMENT */ // IN_A_LINE
                String s = "a \\"IN_A_STRING";
                long size = ibv_outer.layout().byteSize() + USED();
                """;
        List<String> names = names("""
                # NOT_A_NAME
                --include-struct ibv_outer
                --include-struct ibv_inner
                --include-struct ibv_left
                --include-struct ibv_member
                --include-constant USED
                --include-constant IMPORTED
                --include-constant IN_A_COMMENT
                --include-constant IN_A_LINE
                --include-constant IN_A_STRING
                """);
        assertEquals(
                List.of("ibv_left", "ibv_member", "IMPORTED", "IN_A_COMMENT", "IN_A_LINE", "IN_A_STRING"),
                unused(names, words(ours), generated));
    }

    private static List<String> unused(List<String> names, Set<String> ours, Map<String, Set<String>> generated) {
        Set<String> used = new TreeSet<>(ours);
        Deque<String> structs = new ArrayDeque<>(generated.keySet().stream().filter(ours::contains).toList());
        while (!structs.isEmpty()) {
            for (String inner : generated.get(structs.pop())) {
                if (generated.containsKey(inner) && used.add(inner)) {
                    structs.push(inner);
                }
            }
        }
        return names.stream().filter(name -> !used.contains(name)).toList();
    }

    private static List<String> names(String includes) {
        return includes.lines().filter(line -> line.startsWith("--include-")).map(line -> line.split(" ")[1]).toList();
    }

    private static Set<String> ourWords() throws IOException {
        Set<String> words = new TreeSet<>();
        for (Path source : sources(BINDINGS.resolve("src"))) {
            if (!source.startsWith(GENERATED)) {
                words.addAll(words(Files.readString(source)));
            }
        }
        return words;
    }

    /** The generated structs and unions, each with the words of its code. */
    private static Map<String, Set<String>> generated() throws IOException {
        Map<String, Set<String>> structs = new TreeMap<>();
        for (Path source : sources(GENERATED)) {
            String name = source.getFileName().toString().replace(".java", "");
            if (!name.startsWith("rdma_core_h")) {
                structs.put(name, words(Files.readString(source)));
            }
        }
        return structs;
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static Set<String> words(String source) {
        return WORD.matcher(NO_CODE.matcher(source).replaceAll(" ")).results().map(word -> word.group())
                .collect(Collectors.toSet());
    }
}
