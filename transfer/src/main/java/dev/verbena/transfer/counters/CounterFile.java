package dev.verbena.transfer.counters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.verbena.transfer.counters.CounterRow.Text;
import dev.verbena.transfer.counters.CounterRow.Word;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device's counters, in memory that other processes of the same user can look at while it runs, as Aeron's are. The file has no
 * name: it is found by what {@code /proc/PID/fd} says of it, and whatever kills its process, nothing is left behind.
 *
 * <pre>
 *   ROW 0      the device's own
 *   ROW 1 ...  one for each sender and receiver; free ones are taken again, and the file grows by a chunk of rows when there is none
 * </pre>
 *
 * Where no file can be made the rows are memory of this process alone, which is logged once.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class CounterFile implements AutoCloseable {
    /** "VRBNCTR" and the version of the layout. */
    private static final long MAGIC = 0x5652_424e_4354_5201L;
    private static final String NAME = "verbena-counters";
    private static final int CHUNK_ROW_COUNT = 16;
    private static final long CHUNK_BYTE_SIZE = CHUNK_ROW_COUNT * CounterRow.BYTE_SIZE;
    private static final Logger LOG = LoggerFactory.getLogger(CounterFile.class);

    private final String deviceName;
    private final String fabricName;
    private final List<CounterRow> rows = new ArrayList<>();
    /** Null until the first row is wanted, if there can be no file, and when it is closed. */
    private FileChannel file;
    private boolean isUnshared;
    /** Sums of the senders that have gone. */
    private final Map<Word, Long> ended = new EnumMap<>(Word.class);
    private long registered;
    private long registrationCount;

    /** Nothing is made until the first row is taken. */
    public CounterFile(String deviceName, String fabricName) {
        this.deviceName = deviceName;
        this.fabricName = fabricName;
    }

    /** An empty row for a sender or a receiver. */
    public synchronized CounterRow take(boolean receives, String name, String peer, String choice) {
        CounterRow row = free();
        row.clear();
        row.set(Word.RECEIVES, receives ? 1 : 0);
        row.text(Text.NAME, name);
        row.text(Text.PEER, peer);
        row.text(Text.CHOICE, choice);
        row.stateRelease(CounterRow.IN_USE);
        return row;
    }

    /** What it counted stays in the sums. */
    public synchronized void giveBack(CounterRow row) {
        if (row.get(Word.RECEIVES) == 0) {
            for (Word word : Word.values()) {
                ended.merge(word, row.get(word), Long::sum);
            }
        }
        row.stateRelease(CounterRow.FREE);
    }

    /** Memory registered with the device has changed. */
    public synchronized void onRegistered(long registeredByteSize, long registrations) {
        registered = registeredByteSize;
        registrationCount = registrations;
        if (!rows.isEmpty()) {
            tellRegistered();
        }
    }

    private void tellRegistered() {
        rows.getFirst().set(Word.REGISTERED_BYTES, registered);
        rows.getFirst().set(Word.REGISTRATIONS, registrationCount);
    }

    /** A sum over all senders, those that have gone included. */
    public synchronized long sent(Word word) {
        long sum = ended.getOrDefault(word, 0L);
        for (CounterRow row : inUse()) {
            if (row.get(Word.RECEIVES) == 0) {
                sum += row.get(word);
            }
        }
        return sum;
    }

    /** Those of the senders and receivers that there are. */
    public synchronized List<CounterRow> inUse() {
        return rows.stream().skip(1).filter(row -> row.stateAcquire() == CounterRow.IN_USE).toList();
    }

    private CounterRow free() {
        for (int i = 1; i < rows.size(); i++) {
            if (rows.get(i).stateAcquire() == CounterRow.FREE) {
                return rows.get(i);
            }
        }
        boolean isFirst = rows.isEmpty();
        MemorySegment chunk = addChunk();
        int first = rows.size();
        for (int i = 0; i < CHUNK_ROW_COUNT; i++) {
            rows.add(new CounterRow(chunk.asSlice(i * CounterRow.BYTE_SIZE, CounterRow.BYTE_SIZE)));
        }
        if (isFirst) {
            describe(rows.getFirst());
            first = 1;
        }
        return rows.get(first);
    }

    private void describe(CounterRow device) {
        device.text(Text.NAME, deviceName);
        device.text(Text.CHOICE, fabricName);
        tellRegistered();
        device.stateRelease(MAGIC);
    }

    /** Written before it is mapped: a full file system is an exception here, and no signal later. */
    private MemorySegment addChunk() {
        if (!isUnshared) {
            try {
                if (file == null) {
                    file = NamelessFile.open(NAME);
                }
                long end = file.size();
                file.write(ByteBuffer.allocate((int) CHUNK_BYTE_SIZE), end);
                // As long as a row is referred to, whoever still counts there after the device was closed counts in vain, and no more.
                return file.map(MapMode.READ_WRITE, end, CHUNK_BYTE_SIZE, Arena.ofAuto());
            } catch (IOException e) {
                isUnshared = true;
                LOG.warn("device '{}': its counters cannot be seen by other processes: {}", deviceName, e.toString());
            }
        }
        return Arena.ofAuto().allocate(CHUNK_BYTE_SIZE, 8);
    }

    /** Nobody finds it any more; who has a row may go on counting. */
    @Override
    public synchronized void close() {
        isUnshared = true;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                LOG.warn("device '{}': closing the counters failed: {}", deviceName, e.toString());
            }
            file = null;
        }
    }

    /**
     * The rows of a process's devices as they are now, for each its own first; none of a process that has none, has ended, or is of another
     * user.
     */
    public static List<List<CounterRow>> ofProcess(long processId) {
        List<List<CounterRow>> devices = new ArrayList<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + processId + "/fd"))) {
            for (Path descriptor : descriptors.sorted().toList()) {
                List<CounterRow> device = read(descriptor);
                if (!device.isEmpty()) {
                    devices.add(device);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("no counters of process {}: {}", processId, e.toString());
        }
        return devices;
    }

    /** Empty if the descriptor is of another file, or gone. */
    private static List<CounterRow> read(Path descriptor) {
        try {
            Path name = Files.readSymbolicLink(descriptor).getFileName();
            // The root folder has none.
            if (name == null || !name.toString().startsWith("memfd:" + NAME)) {
                return List.of();
            }
            try (FileChannel channel = FileChannel.open(descriptor, StandardOpenOption.READ)) {
                return read(channel);
            }
        } catch (IOException _) {
            return List.of();
        }
    }

    private static List<CounterRow> read(FileChannel channel) throws IOException {
        long rowCount = channel.size() / CounterRow.BYTE_SIZE;
        MemorySegment memory = channel.map(MapMode.READ_ONLY, 0, rowCount * CounterRow.BYTE_SIZE, Arena.ofAuto());
        List<CounterRow> rows = new ArrayList<>();
        for (long i = 0; i < rowCount; i++) {
            CounterRow row = new CounterRow(memory.asSlice(i * CounterRow.BYTE_SIZE, CounterRow.BYTE_SIZE));
            long state = row.stateAcquire();
            if (i == 0 && state != MAGIC) {
                return List.of();
            }
            if (i == 0 || state == CounterRow.IN_USE) {
                rows.add(row);
            }
        }
        return rows;
    }
}
