package dev.verbena.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Says the values of C expressions: the machine's own compiler by a program that prints them, a cross compiler, whose
 * programs cannot run here, by assembly that holds them.
 */
public record CCompiler(List<String> command, boolean runsHere) {
    /** A cross compiler has a C library of its own; the headers of rdma-core are the same for all, and are looked for behind it. */
    private static final CCompiler OWN = new CCompiler(List.of("cc"), true);
    private static final CCompiler AARCH64 = new CCompiler(
            List.of("aarch64-linux-gnu-gcc", "-idirafter", "/usr/include"), false);
    private static final Pattern VALUE = Pattern.compile("^->(-?[0-9]+)$", Pattern.MULTILINE);

    /** The machine's own. */
    public static CCompiler own() {
        assumeTrue(onPath("cc"), "skipped: no C compiler (cc) on the PATH");
        return OWN;
    }

    /** One that compiles for AArch64, with its C library's headers. */
    public static CCompiler aarch64() {
        assumeTrue(onPath("aarch64-linux-gnu-gcc") && Files.exists(Path.of("/usr/aarch64-linux-gnu/include/stdio.h")),
                "skipped: no aarch64-linux-gnu-gcc with headers (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)");
        return AARCH64;
    }

    /** Skips the test where rdma-core's headers are missing. */
    static void assumeRdmaHeaders() {
        for (String header : List.of("infiniband/verbs.h", "rdma/rdma_cma.h")) {
            assumeTrue(Files.exists(Path.of("/usr/include", header)),
                    "skipped: no " + header + " (Debian: libibverbs-dev, librdmacm-dev)");
        }
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(entry -> Files.isExecutable(Path.of(entry, program)));
    }

    /** One line for each claim, an expression with its value, that the compiler contradicts. */
    public List<String> contradictions(List<String> headers, Map<String, Long> claims, Path folder)
            throws IOException, InterruptedException {
        List<Long> values = values(headers, claims.keySet(), folder);
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

    /** What the expressions are, in their order. */
    private List<Long> values(List<String> headers, Iterable<String> expressions, Path folder)
            throws IOException, InterruptedException {
        StringBuilder program = new StringBuilder("#define _GNU_SOURCE\n");
        for (String header : headers) {
            program.append("#include <").append(header).append(">\n");
        }
        program.append("int main(void) {\n");
        String before = runsHere ? "  printf(\"->%lld\\n\", (long long)("
                : "  __asm__(\"\\n->%c0\" : : \"i\"((long long)(";
        String behind = runsHere ? "));\n" : ")));\n";
        for (String expression : expressions) {
            program.append(before).append(expression).append(behind);
        }
        Path source = Files.writeString(folder.resolve("abi.c"), program.append("  return 0;\n}\n"));
        Path output = folder.resolve("abi");
        List<String> compile = new ArrayList<>(command);
        compile.addAll(List.of(runsHere ? "-O0" : "-S", "-o", output.toString(), source.toString()));
        run(compile);
        String answers = runsHere ? run(List.of(output.toString())) : Files.readString(output);
        return VALUE.matcher(answers).results().map(value -> Long.valueOf(value.group(1))).toList();
    }

    static String run(List<String> command) throws IOException, InterruptedException {
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
}
