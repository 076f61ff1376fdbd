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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.verbena.verbs.abi.rdma_core_h;

/**
 * What the generated classes claim, for a C compiler to say whether it is so: each size, each offset, each constant is a C
 * expression with a value.
 */
final class LayoutsInC {
    private static final List<String> HEADERS = List.of("errno.h", "stddef.h", "stdio.h", "infiniband/verbs.h",
            "rdma/rdma_cma.h");

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

    /** Whether it is one of glibc's own fields in its mutex that only x86 has: its lock's elision, which no code here looks into. */
    static boolean isOfX86Only(String claim) {
        return claim.matches(".*(__spins|__elision)\\)?.*");
    }

    /** One line for each claim that the compiler contradicts. */
    static List<String> contradictions(CCompiler compiler, Map<String, Long> claims, Path folder)
            throws IOException, InterruptedException {
        return compiler.contradictions(HEADERS, claims, folder);
    }
}
