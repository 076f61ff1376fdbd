package dev.verbena.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real browser, without a window, if there is one here. */
public final class Browser {
    private static final long LIMIT_SECONDS = 100;

    private final String command;

    private Browser(String command) {
        this.command = command;
    }

    /** The test is skipped where there is none. */
    public static Browser find() {
        Optional<Path> found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(Path.of(folder)::resolve))
                .filter(Files::isExecutable).findFirst();
        assumeTrue(found.isPresent(), "no chromium on the PATH: no page is opened; install it to have this tested");
        return new Browser(found.get().toString());
    }

    /** @return the page as the browser has it when its script has run, without a complaint */
    public String show(String text, Path folder) throws Exception {
        Path page = Files.writeString(folder.resolve("report.html"), text);
        Path console = folder.resolve("console");
        Path shown = folder.resolve("shown.html");
        List<String> line = new ArrayList<>(List.of(command, "--headless", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--user-data-dir=" + folder.resolve("profile"),
                "--enable-logging=stderr", "--dump-dom"));
        if ("root".equals(System.getProperty("user.name"))) {
            line.add("--no-sandbox");
        }
        line.add(page.toUri().toString());
        Process process = new ProcessBuilder(line).redirectOutput(shown.toFile()).redirectError(console.toFile())
                .start();
        try {
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "the browser is still running");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        assertEquals(0, process.exitValue(), Files.readString(console));
        assertEquals(List.of(), Files.readAllLines(console).stream().filter(each -> each.contains("CONSOLE")).toList());
        return Files.readString(shown);
    }
}
