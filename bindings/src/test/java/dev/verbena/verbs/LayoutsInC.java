package dev.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.verbena.verbs.abi.rdma_core_h;

/**
 * Asks the machine's C compiler what the generated classes claim: each size, each offset, each constant is a C
 * expression with a value.
 */
final class LayoutsInC {
    private LayoutsInC() {}

    /** The layouts of all generated structs and unions, by the names of their classes. */
    static Map<String, GroupLayout> generatedLayouts() throws Exception {
        Map<String, GroupLayout> layouts = new TreeMap<>();
        Path folder = Path.of(rdma_core_h.class.getResource("rdma_core_h.class").toURI()).getParent();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString().replace(".class", "");
                if (!name.contains("$") && !name.equals("rdma_core_h")) {
                    Method layout = Class.forName(rdma_core_h.class.getPackageName() + "." + name).getMethod("layout");
                    layouts.put(name, (GroupLayout) layout.invoke(null));
                }
            }
        }
        return layouts;
    }

    /** All generated constants: public static methods without parameters, named like a macro or an enumerator. */
    static Map<String, Long> generatedConstants() throws Exception {
        Map<String, Long> claims = new TreeMap<>();
        for (Method method : rdma_core_h.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 0
                    && method.getName().matches("[A-Z][A-Z0-9_]+")) {
                claims.put("(long)" + method.getName(), ((Number) method.invoke(null)).longValue());
            }
        }
        return claims;
    }

    /**
     * C expression to value. The tag of a struct is its layout's name; a type that has no tag, only a typedef, has the
     * typedef's name.
     */
    static Map<String, Long> claims(String name, GroupLayout struct) {
        Map<String, Long> claims = new LinkedHashMap<>();
        boolean tagged = !struct.name().orElseThrow().startsWith("$anon$");
        String type = tagged ? (struct instanceof UnionLayout ? "union " : "struct ") + name : name;
        claims.put("sizeof(" + type + ")", struct.byteSize());
        members(type, "", 0, struct, claims);
        return claims;
    }

    private static void members(String type, String prefix, long start, GroupLayout group, Map<String, Long> claims) {
        long offset = start;
        for (MemoryLayout member : group.memberLayouts()) {
            if (!(member instanceof PaddingLayout)) {
                String name = member.name().orElseThrow();
                // In C the members of an anonymous struct or union are those of the one around it.
                boolean anonymous = name.startsWith("$anon$");
                String path = anonymous ? prefix : prefix + name;
                if (!anonymous) {
                    claims.put("offsetof(" + type + ", " + path + ")", offset);
                    claims.put("sizeof(((" + type + " *)0)->" + path + ")", member.byteSize());
                }
                if (member instanceof GroupLayout inner) {
                    members(type, anonymous ? prefix : path + ".", offset, inner, claims);
                }
            }
            offset += group instanceof UnionLayout ? 0 : member.byteSize();
        }
    }

    /** What the compiler says the expressions are, in their order. */
    static List<Long> compile(Iterable<String> expressions, Path folder) throws IOException, InterruptedException {
        StringBuilder program = new StringBuilder("""
                #include <errno.h>
                #include <stddef.h>
                #include <stdio.h>
                #include <infiniband/verbs.h>
                #include <rdma/rdma_cma.h>
                int main(void) {
                """);
        for (String expression : expressions) {
            program.append("  printf(\"%lld\\n\", (long long)(").append(expression).append("));\n");
        }
        Path source = Files.writeString(folder.resolve("abi.c"), program.append("  return 0;\n}\n"));
        Path binary = folder.resolve("abi");
        run(List.of("cc", "-o", binary.toString(), source.toString()));
        return run(List.of(binary.toString())).lines().map(Long::valueOf).toList();
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("abi", ".txt");
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(command + " did not end within 60 s");
            }
            String text = Files.readString(output);
            if (process.exitValue() != 0) {
                throw new AssertionError(command + " ended with status=" + process.exitValue() + "\n" + text);
            }
            return text;
        } finally {
            Files.delete(output);
        }
    }

    /** One line for each claim that the compiler contradicts. */
    static List<String> contradictions(Map<String, Long> claims, Path folder) throws IOException, InterruptedException {
        List<Long> values = compile(claims.keySet(), folder);
        if (values.size() != claims.size()) {
            throw new AssertionError("claims=" + claims.size() + " answers=" + values.size());
        }
        List<String> contradictions = new ArrayList<>();
        int i = 0;
        for (Map.Entry<String, Long> claim : claims.entrySet()) {
            long value = values.get(i++);
            if (value != claim.getValue()) {
                contradictions.add(claim.getKey() + " generated=" + claim.getValue() + " compiler=" + value);
            }
        }
        return contradictions;
    }
}
