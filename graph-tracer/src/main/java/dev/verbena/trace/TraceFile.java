package dev.verbena.trace;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a tracer has learned, as text: a line for each site that is sent.
 *
 * <pre>
 *   verbena-trace 1
 *   node&lt;TAB&gt;ordinal&lt;TAB&gt;bytes allocated per iteration&lt;TAB&gt;bytes sent per iteration&lt;TAB&gt;node
 *   call&lt;TAB&gt;...                                                                            frames, innermost first
 *   end 2
 * </pre>
 *
 * <p>A backslash in a name is written as {@code \\}, a line feed as {@code \n}, a carriage return as {@code \r}. The last line has the
 * number of sites, so that a file that was cut off is seen.
 */
final class TraceFile {
    /** A site that is sent. */
    record Entry(SiteKey key, long byteSize, long benefit) {}

    private static final String HEADER = "verbena-trace 1";
    private static final String END = "end ";
    private static final int FIELDS = 5;

    private final Path file;
    private final List<String> lines;

    private TraceFile(Path file, List<String> lines) {
        this.file = file;
        this.lines = lines;
    }

    /** All at once: written beside it, and put in its place when that is on the disk. */
    static void write(Path file, List<Entry> entries) throws IOException {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (Entry entry : entries) {
            text.append(entry.key.kind().name().toLowerCase(Locale.ROOT)).append('\t').append(entry.key.ordinal())
                    .append('\t').append(entry.byteSize).append('\t').append(entry.benefit).append('\t')
                    .append(escaped(entry.key.place())).append('\n');
        }
        text.append(END).append(entries.size()).append('\n');
        Path target = file.toAbsolutePath();
        Path beside = Files.createTempFile(target.getParent(), target.getFileName().toString(), ".part");
        try {
            Files.writeString(beside, text);
            try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    static List<Entry> read(Path file) throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            throw new IOException(file + ":1: not text, so not a saved trace; give a file that Tracer.save wrote", e);
        }
        return new TraceFile(file, List.of(text.split("\n", -1))).entries();
    }

    private List<Entry> entries() throws IOException {
        String header = lines.getFirst();
        if (!header.equals(HEADER)) {
            throw wrong(0, header.startsWith("verbena-trace ")
                    ? "version '" + header + "' is not known; this one reads '" + HEADER + "'"
                    : "not a saved trace: it does not begin with '" + HEADER + "'");
        }
        int last = lines.size() - 2;
        if (last < 1 || !lines.getLast().isEmpty() || !lines.get(last).startsWith(END)) {
            throw wrong(lines.size() - 1, "the file is cut off: it does not end with '" + END + "COUNT'");
        }
        List<Entry> entries = new ArrayList<>();
        Set<SiteKey> keys = new HashSet<>();
        for (int i = 1; i < last; i++) {
            Entry entry = entry(i);
            if (!keys.add(entry.key)) {
                throw wrong(i, "site '" + entry.key + "' is there twice");
            }
            entries.add(entry);
        }
        if (number(last, lines.get(last).substring(END.length()), Integer.MAX_VALUE) != entries.size()) {
            throw wrong(last, "sites=" + entries.size() + " but the file says '" + lines.get(last) + "'");
        }
        return entries;
    }

    private Entry entry(int line) throws IOException {
        String[] fields = lines.get(line).split("\t", FIELDS);
        if (fields.length < FIELDS) {
            throw wrong(line, "fields=" + fields.length + " of " + FIELDS + ", separated by tabs");
        }
        SiteKey.Kind kind = switch (fields[0]) {
            case "node" -> SiteKey.Kind.NODE;
            case "call" -> SiteKey.Kind.CALL;
            default -> throw wrong(line, "kind '" + fields[0] + "' is neither node nor call");
        };
        int ordinal = (int) number(line, fields[1], Integer.MAX_VALUE);
        return new Entry(new SiteKey(kind, unescaped(line, fields[4]), ordinal),
                number(line, fields[2], Long.MAX_VALUE), number(line, fields[3], Long.MAX_VALUE));
    }

    private long number(int line, String text, long max) throws IOException {
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw wrong(line, "'" + text + "' is no number from 0 to " + max);
    }

    private IOException wrong(int line, String what) {
        return new IOException(file + ":" + (line + 1) + ": " + what);
    }

    private static String escaped(String name) {
        return name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }

    private String unescaped(int line, String text) throws IOException {
        StringBuilder name = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == '\\') {
                i++;
                next = switch (i < text.length() ? text.charAt(i) : ' ') {
                    case '\\' -> '\\';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    default -> throw wrong(line, "a backslash that is followed by neither \\, n nor r");
                };
            }
            name.append(next);
        }
        return name.toString();
    }
}
