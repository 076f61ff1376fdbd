package dev.verbena.transfer.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.counters.CounterRow.Text;
import dev.verbena.transfer.counters.CounterRow.Word;

class CounterFileTest {
    private static final long OWN = ProcessHandle.current().pid();

    /** As another process would: through its descriptors. */
    private static List<List<CounterRow>> seen(String device) {
        return CounterFile.ofProcess(OWN).stream().filter(rows -> rows.getFirst().text(Text.NAME).equals(device))
                .toList();
    }

    @Test
    void whatOneCountsOthersSee() {
        try (CounterFile file = new CounterFile("seen", "shm")) {
            assertEquals(List.of(), seen("seen"), "nothing to see yet");
            file.onRegistered(4096, 1);
            CounterRow row = file.take(false, "weights", "bob", "static placement");
            row.add(Word.TENSORS, 3);
            row.countLatency(700);
            file.onRegistered(8192, 2);
            List<CounterRow> device = seen("seen").getFirst();
            assertEquals(8192, device.getFirst().get(Word.REGISTERED_BYTES));
            assertEquals(2, device.getFirst().get(Word.REGISTRATIONS));
            assertEquals("shm", device.getFirst().text(Text.CHOICE));
            assertEquals(2, device.size());
            assertEquals("weights", device.get(1).text(Text.NAME));
            assertEquals("bob", device.get(1).text(Text.PEER));
            assertEquals(3, device.get(1).get(Word.TENSORS));
            assertEquals(1, device.get(1).latencies()[LatencyBuckets.indexOf(700)]);
        }
        assertEquals(List.of(), seen("seen"), "its device is closed");
    }

    @Test
    void nothingHasANameThatCouldBeLeftBehind() throws IOException {
        try (CounterFile file = new CounterFile("nameless", "shm")) {
            file.take(true, "weights", "", "");
            try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
                assertEquals(List.of(), files.filter(each -> each.toString().contains("verbena-counters")).toList());
            }
            assertEquals(1, seen("nameless").size());
        }
    }

    @Test
    void rowsGrowWithWhatIsThereAndAreTakenAgain() {
        try (CounterFile file = new CounterFile("grown", "shm")) {
            List<CounterRow> taken = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                taken.add(file.take(false, "t" + i, "bob", ""));
                taken.getLast().add(Word.BYTES, 10);
            }
            assertEquals(101, seen("grown").getFirst().size());
            long term = taken.get(5).termAcquire();
            file.giveBack(taken.get(5));
            assertEquals(100, seen("grown").getFirst().size());
            assertEquals(1000, file.sent(Word.BYTES), "what has gone is in the sums");
            CounterRow next = file.take(true, "next", "", "");
            assertEquals(0, next.get(Word.BYTES));
            assertNotEquals(term, next.termAcquire());
            next.add(Word.BYTES, 7);
            assertEquals(1000, file.sent(Word.BYTES), "received is not sent");
            List<String> names = seen("grown").getFirst().stream().map(row -> row.text(Text.NAME)).toList();
            assertTrue(names.contains("next") && !names.contains("t5"), names::toString);
        }
    }

    @Test
    void aLongTextIsCutBetweenTwoCharacters() {
        CounterRow row = CounterRow.unshared();
        row.text(Text.CHOICE, "ä".repeat(200));
        assertEquals("ä".repeat(126), row.text(Text.CHOICE));
        row.text(Text.CHOICE, "x" + "ä".repeat(200));
        assertEquals("x" + "ä".repeat(125), row.text(Text.CHOICE));
        row.text(Text.CHOICE, "");
        assertEquals("", row.text(Text.CHOICE));
    }

    @Test
    void aProcessWithoutDevicesHasNone() {
        assertEquals(List.of(), CounterFile.ofProcess(Long.MAX_VALUE));
        assertEquals(List.of(), CounterFile.ofProcess(ProcessHandle.current().parent().orElseThrow().pid()));
    }

    @Test
    void otherDescriptorsAreNoneOfOurs() throws IOException {
        try (CounterFile file = new CounterFile("beside", "shm"); Stream<Path> root = Files.list(Path.of("/"))) {
            file.take(false, "weights", "bob", "");
            assertTrue(root.iterator().hasNext());
            assertEquals(1, seen("beside").size());
        }
    }
}
