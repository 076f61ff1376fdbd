package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

/** The house stays as drawn; and each check is shown something that it must not let pass. */
class ArchitectureTest {
    /** All but {@code integrations/spark}: Spark's jars share packages, so that no module can require them. */
    private static final Set<String> PUBLISHED = Set.of("allocator", "bindings", "transfer", "graph-tracer",
            "training", "testing", "integrations/onnxruntime", "integrations/onnxruntime-library",
            "integrations/arrow", "integrations/djl");
    private static final Pattern OUR_DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>dev\\.verbena</groupId>\\s*<artifactId>verbena-([\\w-]+)</artifactId>"
                    + "((?:(?!</dependency>).)*)</dependency>",
            Pattern.DOTALL);

    @Test
    void modulesRequireOnlyWhatTheDrawingSays() {
        List<ModuleDescriptor> modules = ModuleEdges.onClassPath(CommandRun.classPath());
        assertEquals(
                Set.of("dev.verbena.allocator", "dev.verbena.arrow", "dev.verbena.bindings", "dev.verbena.djl",
                        "dev.verbena.graph",
                        "dev.verbena.onnxruntime",
                        "dev.verbena.onnxruntime.library", "dev.verbena.testing",
                        "dev.verbena.training",
                        "dev.verbena.transfer"),
                modules.stream().map(ModuleDescriptor::name).collect(Collectors.toSet()));
        assertEquals(List.of(), ModuleEdges.violations(modules));
    }

    @Test
    void aNewEdgeIsSeen() {
        ModuleDescriptor turned = ModuleDescriptor.newModule("dev.verbena.allocator").requires("dev.verbena.transfer")
                .build();
        ModuleDescriptor stranger = ModuleDescriptor.newModule("dev.verbena.common").build();
        assertEquals(List.of("allocator must not depend on transfer", "module common has no place in the drawing"),
                ModuleEdges.violations(List.of(turned, stranger)));
    }

    @Test
    void packagesOfTheBindingsNameOnlyThoseBeneathThem() throws IOException {
        assertEquals(List.of(), judge(".java", "/bindings/src/main/java/dev/", PackageEdges::violations));
        assertEquals(List.of("A.java: dev.verbena.verbs must not name dev.verbena.verbs.cm"),
                PackageEdges.violations("A.java", "package dev.verbena.verbs;\nimport dev.verbena.verbs.cm.CmId;\n"));
        assertEquals(1, PackageEdges.violations("A.java",
                "package dev.verbena.verbs.ffi;\nvoid a(dev.verbena.verbs.QueuePair pair) {}\n").size());
        assertEquals(List.of(), PackageEdges.violations("A.java", "package dev.verbena.verbs.ffi;\n"
                + "import dev.verbena.verbs.VerbsException;\n/** {@link dev.verbena.verbs.cm.CmId} */\n"));
        assertEquals(1, PackageEdges.violations("A.java", "package dev.verbena.verbs.common;\n").size());
    }

    @Test
    void protocolsAreProgramsOfTheEngine() throws IOException {
        assertEquals(List.of(), judge(".java", "/transfer/src/main/java/dev/", PackageEdges::transferViolations));
        assertEquals(1, PackageEdges.transferViolations("A.java",
                "package dev.verbena.transfer.engine;\nimport dev.verbena.transfer.protocol.RpcFrame;\n").size());
        assertEquals(1, PackageEdges.transferViolations("A.java",
                "package dev.verbena.transfer.fabric.shm;\nimport dev.verbena.transfer.engine.Engine;\n").size());
        assertEquals(1, PackageEdges.transferViolations("A.java",
                "package dev.verbena.transfer.protocol;\nimport dev.verbena.transfer.exchange.MatchTable;\n").size());
        assertEquals(List.of(), PackageEdges.transferViolations("A.java",
                "package dev.verbena.transfer.protocol;\nimport dev.verbena.transfer.engine.Engine;\n"));
        assertEquals(List.of(), PackageEdges.transferViolations("A.java",
                "package dev.verbena.transfer;\nimport dev.verbena.transfer.protocol.RpcFrame;\n"));
    }

    @Test
    void buildFilesDependOnlyOnWhatTheDrawingSays() throws IOException {
        List<String> violations = new ArrayList<>();
        int edges = 0;
        for (Path pom : Repository.files("/pom.xml")) {
            String module = pom.getParent().getFileName().toString();
            if (!pom.getParent().equals(Repository.root())) {
                Set<String> required = compileDependencies(Files.readString(pom));
                edges += required.size();
                violations.addAll(ModuleEdges.violations(roomOf(module), required));
            }
        }
        assertEquals(List.of(), violations);
        assertTrue(edges >= 6, "edges found: " + edges);
        assertEquals(Set.of("graph"), compileDependencies("""
                <dependency><groupId>dev.verbena</groupId><artifactId>verbena-graph-tracer</artifactId></dependency>
                <dependency><groupId>dev.verbena</groupId><artifactId>verbena-testing</artifactId><scope>test</scope></dependency>
                """));
    }

    @Test
    void publishedModulesAreModulesAndNoneIsARummageBox() throws IOException {
        for (String module : PUBLISHED) {
            assertTrue(Files.exists(Repository.root().resolve(module + "/src/main/java/module-info.java")), module);
        }
        Set<String> names = new TreeSet<>();
        for (Path file : Repository.files(".java")) {
            Repository.root().relativize(file).getParent().forEach(name -> names.add(name.toString()));
        }
        assertTrue(names.contains("transfer"), names::toString);
        for (String word : List.of("common", "util", "utils", "core", "misc", "helpers")) {
            assertFalse(names.contains(word), "no room is called " + word);
        }
    }

    @Test
    void publicTypesSayTheirOwnerAndThreading() throws IOException {
        assertEquals(List.of(), judge(".java", "/src/main/java/", SourceRules::undocumented));
        assertEquals(2, SourceRules.undocumented("A.java", "/** Does it. */\npublic final class A {}").size());
        assertEquals(1, SourceRules.undocumented("A.java",
                "/** Does it.\n * <p><b>Owner:</b> none. */\n@Deprecated\npublic record A(int b) {}").size());
        assertEquals(List.of(), SourceRules.undocumented("A.java",
                "/** Does it.\n * <p><b>Owner:</b> none. <b>Threading:</b> immutable. */\npublic enum A {}"));
    }

    @Test
    void nobodyUsesBackDoorsIntoTheJdk() throws IOException {
        assertEquals(List.of(), judge(".java", "/src/", SourceRules::backDoors));
        assertEquals(List.of(), judge("pom.xml", "", SourceRules::backDoors));
        assertEquals(List.of(),
                SourceRules.backDoors("verbena", Files.readString(Repository.root().resolve("verbena"))));
        assertEquals(1, SourceRules.backDoors("A.java", "import sun" + ".misc.Un" + "safe;").size());
        assertEquals(1,
                SourceRules.backDoors("pom.xml", "<argLine>--add-" + "opens java.base/java.nio=x</argLine>").size());
    }

    @Test
    void onlyTheCommandPrints() throws IOException {
        assertEquals(List.of(), judge(".java", "/src/main/java/", (file, text) -> file.startsWith("cli/") ? List.of()
                : SourceRules.prints(file, text)));
        assertEquals(1, SourceRules.prints("A.java", "System.out.println(x);").size());
        assertEquals(List.of(), SourceRules.prints("A.java", "// System.out is for users\n"));
    }

    @Test
    void jqwikStaysAtThePinnedVersion() throws IOException {
        String pom = Files.readString(Repository.root().resolve("pom.xml"));
        assertTrue(pom.contains("<jqwik.version>1.9.3</jqwik.version>"), "jqwik is pinned to 1.9.3");
        assertTrue(pom.contains("<exclude>net.jqwik:*:[1.9.4,)</exclude>"), "an enforcer rule guards the pin");
    }

    private static List<String> judge(String ending, String within, BiFunction<String, String, List<String>> rule)
            throws IOException {
        List<String> wrong = new ArrayList<>();
        int judged = 0;
        for (Path file : Repository.files(ending)) {
            String name = Repository.root().relativize(file).toString();
            if (("/" + name).contains(within) && !name.contains("/verbs/abi/")) {
                judged++;
                wrong.addAll(rule.apply(name, Files.readString(file)));
            }
        }
        assertTrue(judged > 0, "nothing to judge: " + ending + " within " + within);
        return wrong;
    }

    private static Set<String> compileDependencies(String pom) {
        Set<String> required = new TreeSet<>();
        Matcher dependency = OUR_DEPENDENCY.matcher(pom);
        while (dependency.find()) {
            if (!dependency.group(2).contains("<scope>test</scope>")) {
                required.add(roomOf(dependency.group(1)));
            }
        }
        return required;
    }

    private static String roomOf(String module) {
        return module.equals("graph-tracer") ? "graph" : module.replace('-', '.');
    }
}
