package dev.verbena.benchmarks.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong arguments are named before anything is measured. */
class TransferOrderTest {
    @ParameterizedTest
    @CsvSource({"--fast, option '--fast' is unknown: use [--quick]", "--rounds, --rounds needs a value",
            "--rounds 100, --rounds=100 must be a whole number", "--sizes 6, --sizes=6: '6' must be a multiple",
            "--report, --report needs a value", "--warm-up 0, --warm-up=0 must be a whole number",
            "--ssh ssh, --ssh without --hosts", "--hosts a --ssh ssh, --hosts=a must be two",
            "--fabric, --fabric needs a value", "--report /, --report=/ is a folder; give a file",
            "--report /no/such/folder/x, --report=/no/such/folder/x cannot be written: there is no folder /no/such/folder;",
            "--json /no/such/folder/x, --json=/no/such/folder/x cannot be written: there is no folder"})
    void wrongOptionsAreNamed(String arguments, String message) {
        String said = assertThrows(IllegalArgumentException.class, () -> new TransferOrder(arguments.split(" ")))
                .getMessage();
        assertTrue(said.startsWith(message), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a,b,c", "a,a", ",b", "a,-oProxyCommand=b", "a b,c"})
    void wrongHostsAreNamed(String hosts) {
        String said = assertThrows(IllegalArgumentException.class,
                () -> new TransferOrder(new String[]{"--hosts", hosts})).getMessage();
        assertTrue(said.contains("two") && said.contains("--hosts"), said);
    }

    @Test
    void betweenHostsItIsVerbsUnlessSaidOtherwise() {
        Route route = new TransferOrder(new String[]{"--hosts", "me@a,b"}).route();
        assertTrue(route.isBetweenHosts());
        assertEquals("from b to a, over verbs", route.describe());
        assertEquals("fabric verbs does not map the receiver's memory", Way.PLACED.obstacle(route));
        assertNull(Way.PLACED.obstacle(Route.here(null)));
        assertEquals("it stays within a machine", Way.NETTY.obstacle(route));
        assertNull(Way.FLIGHT.obstacle(route));
        assertEquals("from a process to another on the same machine, over verbs",
                new TransferOrder(new String[]{"--fabric", "verbs"}).route().describe());
    }

    @Test
    void filesAreCheckedWithoutATrace(@TempDir Path folder) throws IOException {
        TransferOrder order = new TransferOrder(new String[]{"--rounds", "2", "--sizes", "4K,64", "--report",
                folder.resolve("page.html").toString()});
        assertEquals(List.of(64L, 4096L), order.byteSizes());
        assertEquals(2, order.rounds());
        assertNull(order.json());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
        order.report().write("page");
        assertEquals("page", Files.readString(folder.resolve("page.html")));
    }
}
