package dev.verbena.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

import picocli.CommandLine.Option;

/**
 * The option {@code --json [FILE]}, the same for every command that has figures: into a file, beside what is printed for people, or without FILE
 * to standard output, instead of that.
 *
 * <p><b>Owner:</b> the command. <b>Threading:</b> confined to its thread.
 */
public final class JsonOutput {
    private static final String STANDARD_OUTPUT = "-";

    @Option(names = "--json", paramLabel = "FILE", arity = "0..1", fallbackValue = STANDARD_OUTPUT,
            description = "Write the figures there as JSON, too; without FILE, or with -, print them so, and nothing else.")
    private String given;
    /** Null where it is printed, or not wanted. */
    private ReportFile file;

    /** Made by the command line. */
    public JsonOutput() {}

    public boolean isGiven() {
        return given != null;
    }

    /** Whether standard output is for JSON alone. */
    public boolean isPrinted() {
        return STANDARD_OUTPUT.equals(given);
    }

    /** Finds out before the run whether it will be possible to write it. */
    public void check() {
        if (!isGiven() || isPrinted()) {
            return;
        }
        if (!given.contains("/") && !given.endsWith(".json")) {
            throw new BadInputException(
                    "--json=" + given + " is no file that ends in .json; without FILE give --json last,"
                            + " or as '--json=-', since the word behind it is taken for FILE");
        }
        file = ReportFile.check(Path.of(given));
    }

    /** Where what is printed for people goes: standard output or, where that is for JSON alone, nowhere. */
    public PrintStream text() {
        return isPrinted() ? new PrintStream(OutputStream.nullOutputStream()) : System.out;
    }

    /** Likewise, or to standard error: of what people must know meanwhile. */
    public PrintStream notices() {
        return isPrinted() ? System.err : System.out;
    }

    /** Where it is wanted, if it is: for people to read, over several lines. */
    public void write(Map<String, ?> figures) {
        write(figures, JsonText.pretty(figures));
    }

    /** Likewise, of figures that come again and again: printed on a line each; the file has the last ones. */
    public void writeLine(Map<String, ?> figures) {
        write(figures, JsonText.write(figures) + "\n");
    }

    private void write(Map<String, ?> figures, String printed) {
        if (isPrinted()) {
            System.out.print(printed);
            System.out.flush();
        } else if (file != null) {
            file.write(figures);
        }
    }
}
