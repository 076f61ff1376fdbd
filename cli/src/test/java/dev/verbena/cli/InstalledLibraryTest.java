package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

/**
 * {@code mvn install} into a local repository of its own, and a project elsewhere that depends on what is installed. The tree
 * is a copy of the build's files and of what is compiled: a second Maven must not write to the folders that this one tests.
 */
@Timeout(value = 11, unit = TimeUnit.MINUTES)
class InstalledLibraryTest {
    private static final long LIMIT_MINUTES = 10;
    private static final Pattern ARTIFACT_ROW = Pattern.compile("^\\| `(verbena-[a-z-]+)` \\|", Pattern.MULTILINE);
    private static final String README_PORT = "7100";
    /** Maven resets them, also where there are none. */
    private static final Pattern COLOURS = Pattern.compile("\u001b\\[[;\\d]*m");
    private static final String PROJECT = """
            <project>
              <modelVersion>4.0.0</modelVersion>
              <groupId>com.example</groupId>
              <artifactId>example</artifactId>
              <version>1</version>
              <packaging>jar</packaging>
              <dependencies>
                %s
              </dependencies>
            </project>
            """;

    @TempDir
    private static Path folder;
    private static Path tree;
    private static Path installed;

    @TempDir
    private Path project;

    @BeforeAll
    @Timeout(value = 11, unit = TimeUnit.MINUTES)
    static void install() throws Exception {
        tree = folder.resolve("tree");
        installed = folder.resolve("repository");
        Files.writeString(folder.resolve("settings.xml"), settings());
        for (String file : List.of("pom.xml", "mvnw", "config", ".mvn")) {
            copy(Repository.root().resolve(file), tree.resolve(file));
        }
        for (Path pom : modules()) {
            Path module = tree.resolve(Repository.root().relativize(pom.getParent()));
            copy(pom, module.resolve("pom.xml"));
            for (String classes : List.of("target/classes", "target/test-classes")) {
                copy(pom.resolveSibling(classes), module.resolve(classes));
            }
        }
        maven("-DskipTests", "-Dmaven.main.skip", "-Dformatter.skip", "install");
    }

    @Test
    void whatTheGuideListsIsInstalledAndNothingElse() throws IOException {
        Set<String> expected = new TreeSet<>(Set.of("verbena"));
        ARTIFACT_ROW.matcher(Files.readString(Repository.root().resolve("docs/guide/README.md"))).results()
                .forEach(row -> expected.add(row.group(1)));
        assertTrue(expected.contains("verbena-transfer"), expected.toString());
        try (Stream<Path> artifacts = Files.list(installed.resolve("dev/verbena"))) {
            assertEquals(expected,
                    artifacts.filter(Files::isDirectory).map(artifact -> artifact.getFileName().toString())
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    /** As its reader would: ten lines around the dependency, the program, the commands. */
    @Test
    void theProjectOfTheReadmeSendsATensorToAnotherProcess() throws Exception {
        String readme = Files.readString(Repository.root().resolve("README.md"));
        String pom = PROJECT.formatted(firstBlock(readme, "xml").strip());
        assertEquals(10, pom.lines().count(), pom);
        assertTrue(readme.contains("\"localhost:" + README_PORT + "\""), "the address of the example");
        runProject(pom, "Weights.java", readme.replace(README_PORT, Integer.toString(freePort())));
        String jars = Files.readString(project.resolve("classpath"));
        assertTrue(jars.contains(installed + "/dev/verbena/verbena-transfer/"), jars);
    }

    @Test
    void theProjectOfTheDjlGuideTrains() throws Exception {
        runProjectOf("docs/guide/djl.md", "Train.java");
        assertTrue(Files.exists(project.resolve("model/rows-0003.params")), "the model is saved");
    }

    @Test
    void theProjectOfTheArrowGuideSendsBatches() throws Exception {
        runProjectOf("docs/guide/arrow.md", "Ages.java");
    }

    /** A guide's first files and commands as they stand there, from an empty folder on; they print what it says. */
    private void runProjectOf(String page, String program) throws Exception {
        String guide = Files.readString(Repository.root().resolve(page));
        runProject(firstBlock(guide, "xml"), program, guide);
    }

    private void runProject(String pomText, String program, String guide) throws Exception {
        Path pom = Files.writeString(project.resolve("pom.xml"), pomText);
        Files.writeString(project.resolve(program), firstBlock(guide, "java"));
        String java = Path.of(System.getProperty("java.home"), "bin").toString();
        // It looks for one of its own name: with the path as it was.
        tool("mvn", Stream.of(Stream.of("env", "PATH=" + System.getenv("PATH")), mavenCommand().stream(),
                Stream.of("-f", pom.toString())).flatMap(each -> each).toList());
        tool("verbena",
                List.of(java + "/java", "-XX:-UsePerfData", "-cp", CommandRun.classPath(), Verbena.class.getName()));
        String commands = firstBlock(guide, "console").lines().map(line -> line.replaceFirst("^\\$ ", ""))
                .collect(Collectors.joining("\n"));
        Path output = project.resolve("output");
        Path errors = project.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder("bash", "-euc", commands).directory(project.toFile())
                .redirectOutput(output.toFile()).redirectError(errors.toFile());
        builder.environment().merge("PATH", project.resolve("tools") + ":" + java, (path, first) -> first + ":" + path);
        builder.environment().put("VERBENA_JAVA_HOME", System.getProperty("java.home"));
        run(builder, errors, output);
        assertEquals(firstBlock(guide, "text"), COLOURS.matcher(Files.readString(output)).replaceAll(""));
    }

    private static String firstBlock(String guide, String language) {
        return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL).matcher(guide).results().findFirst()
                .orElseThrow().group(1);
    }

    private void tool(String name, List<String> command) throws IOException {
        Path tool = Files.createDirectories(project.resolve("tools")).resolve(name);
        Files.writeString(tool, "#!/bin/sh\nexec '" + String.join("' '", command) + "' \"$@\"\n");
        assertTrue(tool.toFile().setExecutable(true));
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Repository.root());
                Stream<Path> integrations = Files.list(Repository.root().resolve("integrations"))) {
            return Stream.concat(folders, integrations).map(folder -> folder.resolve("pom.xml")).filter(Files::exists)
                    .toList();
        }
    }

    /** What this build has fetched is not fetched again; what else is needed comes from where it always comes from. */
    private static String settings() throws Exception {
        Path jar = Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path fetched = jar.resolve("../../../../..").normalize();
        assertTrue(Files.isDirectory(fetched.resolve("info/picocli")), jar.toString());
        String repository = "<id>fetched</id><url>" + fetched.toUri()
                + "</url><releases><checksumPolicy>ignore</checksumPolicy></releases><snapshots><enabled>false</enabled></snapshots>";
        return "<settings><profiles><profile><id>fetched</id><repositories><repository>" + repository
                + "</repository></repositories><pluginRepositories><pluginRepository>" + repository
                + "</pluginRepository></pluginRepositories></profile></profiles><activeProfiles><activeProfile>fetched"
                + "</activeProfile></activeProfiles></settings>";
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static void maven(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(mavenCommand());
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("VERBENA_JAVA_HOME", System.getProperty("java.home"));
        run(builder, output);
    }

    /** As the scripts start it, wherever they find it. */
    private static List<String> mavenCommand() {
        return List.of("bash", "-euc",
                "home=$1 && shift && fail() { echo \"$1\"; exit 2; } && . \"$home/config/jdk-and-maven\" && find_jdk && maven \"$@\"",
                "-", tree.toString(), "-q", "-gs", folder.resolve("settings.xml").toString(),
                "-Dmaven.repo.local=" + installed);
    }

    private static void run(ProcessBuilder builder, Path... said) throws IOException, InterruptedException {
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES), "it ends");
            StringBuilder all = new StringBuilder();
            for (Path file : said) {
                all.append(Files.readString(file));
            }
            assertEquals(0, process.exitValue(), all::toString);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** A file, or a folder with all that is in it; nothing where there is none. */
    private static void copy(Path from, Path to) throws IOException {
        if (!Files.exists(from)) {
            return;
        }
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path target = to.resolve(from.relativize(file));
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
