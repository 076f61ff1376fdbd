package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest that does not end well is never silent, and none outlives its script. */
class FailingGuestTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(6);

    @TempDir
    private Path folder;

    @BeforeEach
    void guestsWork() throws Exception {
        Guests.assumeTheyWork();
    }

    @Test
    void aCommandThatHangsIsEnded() throws Exception {
        GuestRun run = Guests.run("sleep 1000", Duration.ofSeconds(5));
        assertEquals(124, run.status());
        assertEquals(
                "softroce: host1 was ended at timeout=5 s: its command hangs, or needs a longer --timeout.\n",
                run.complaint());
    }

    @Test
    void aKernelThatCrashesSaysItsLastWords() throws Exception {
        // What it prints goes through a process of the guest, which must have had its turn.
        GuestRun run = Guests.run("echo before; until grep -q before $SOFTROCE_OUT/host-1/output; do sleep .1; done;"
                + " echo c > /proc/sysrq-trigger; sleep 60", TIMEOUT);
        assertEquals(125, run.status());
        assertEquals("before\n", run.output());
        assertTrue(run.complaint().startsWith("softroce: host1 ended before its command did; "), run.complaint());
        assertTrue(run.complaint().contains("RIP: "), run.complaint());
    }

    @Test
    void aModuleThatCannotBeLoadedIsNamed() throws Exception {
        Path cache = folder.resolve("cache");
        // A second archive behind the first one adds a file to the guest's initial file system.
        Process image = new ProcessBuilder("bash", "-euc", """
                "$1" setup
                cp -r "${SOFTROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/verbena-softroce}" "$2"
                mkdir modules && echo nonsense > modules/999-broken.ko
                for image in "$2"/*/initramfs.gz; do find modules | cpio -o -H newc --quiet | gzip >> "$image"; done
                """, "-", ScriptRun.SCRIPT.toString(), cache.toString()).directory(folder.toFile()).inheritIO().start();
        assertEquals(0, image.waitFor());
        ScriptRun run = ScriptRun.of(folder, Map.of("SOFTROCE_CACHE", cache.toString()), "run", "echo not reached");
        assertEquals(125, run.status());
        assertEquals("", run.output());
        assertTrue(run.errors().startsWith(
                "softroce: host1 could not be prepared: module 999-broken.ko cannot be loaded: "), run.errors());
    }

    /** With a kernel package made of this machine's own guests, by tools that have no sources of it. */
    @Test
    void withoutSoftIwarpGuestsWorkAndItIsSaidWhy() throws Exception {
        Guests.assumeTheyHave("siw0");
        Process archive = new ProcessBuilder("bash", "-euc", """
                kernel=$(apt-cache depends linux-image-amd64 | awk '/Depends:/ {print $2; exit}')
                image=$(ls -td "${SOFTROCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/verbena-softroce}"/*/ | head -n 1)
                mkdir -p package/DEBIAN package/boot "package/lib/modules/${kernel#linux-image-}" tools
                printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: none\n' "$kernel" > package/DEBIAN/control
                cp "$image/vmlinuz" "package/boot/vmlinuz-${kernel#linux-image-}"
                gzip -dc "$image/initramfs.gz" | cpio -id --quiet 'modules/*'
                for module in modules/*; do cp "$module" "package/lib/modules/${kernel#linux-image-}/${module#modules/*-}"; done
                rm package/lib/modules/*/siw.ko
                dpkg-deb -b package kernel.deb
                printf '#!/bin/sh\ncase $* in *" download linux-image-"*) cp "%s" . ;; *" download "*) echo no such package; exit 100 ;; esac\n' \
                    "$PWD/kernel.deb" > tools/apt-get
                chmod +x tools/apt-get
                """).directory(folder.toFile()).inheritIO().start();
        assertEquals(0, archive.waitFor());
        Map<String, String> environment = Map.of("SOFTROCE_CACHE", folder.resolve("cache").toString(), "PATH",
                folder.resolve("tools") + ":" + System.getenv("PATH"));
        ScriptRun run = ScriptRun.of(folder, environment, "run", "ls /sys/class/infiniband");
        assertEquals("rxe0\n", run.output());
        assertEquals(0, run.status());
        String reason = "Guests have no siw0, since soft-iWARP cannot be built: fetching sources and headers failed: no such package";
        assertTrue(run.errors().contains("softroce: " + reason), run.errors());
        ScriptRun check = ScriptRun.of(folder, environment, "check", "siw0");
        assertEquals(3, check.status());
        assertTrue(check.output().startsWith(reason), check.output());
    }

    @Test
    void noGuestOutlivesItsScript() throws Exception {
        assertGuestEndsWithItsScript(Map.of());
    }

    /** The kernel is told whom the guest belongs to by a program that starts late, as on a busy machine: the script has ended then. */
    @Test
    void noGuestOutlivesAScriptThatEndsEarly() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path late = Files.writeString(tools.resolve("setpriv"), """
                #!/bin/sh
                while [ ! -e '%s/ended' ]; do sleep 0.1; done
                exec "$(PATH=${PATH#*:} command -v setpriv)" "$@"
                """.formatted(folder));
        assertTrue(late.toFile().setExecutable(true));
        assertGuestEndsWithItsScript(Map.of("PATH", tools + ":" + System.getenv("PATH")));
    }

    private void assertGuestEndsWithItsScript(Map<String, String> environment) throws Exception {
        Process script = ScriptRun.start(folder, environment, "--out", folder.resolve("out").toString(), "run",
                "sleep 1000");
        Path pid = folder.resolve("out/host-1/pid");
        while (!Files.exists(pid) || Files.readString(pid).isEmpty()) {
            assertTrue(script.isAlive(), () -> "no guest was started, see " + folder);
            Thread.sleep(20);
        }
        ProcessHandle guest = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
        script.destroyForcibly().waitFor();
        Files.createFile(folder.resolve("ended"));
        try {
            assertTimeoutPreemptively(TIMEOUT, () -> {
                while (!hasEnded(guest)) {
                    Thread.sleep(20);
                }
            });
        } finally {
            guest.destroyForcibly();
        }
    }

    /** Also if nobody has asked how yet: its parent has gone, and who takes its place in a container may never ask. */
    private static boolean hasEnded(ProcessHandle process) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z' || !process.isAlive();
        } catch (NoSuchFileException e) {
            return true;
        }
    }

    @Test
    void aFolderIsOneRunsAtATime() throws Exception {
        try (RunningGuests guests = Guests.start(TIMEOUT, folder.resolve("out"), "run", "echo up; sleep 1000")) {
            guests.awaitOutput(1, "up");
            // Without a slot, which nobody may wait for who has one; it starts no guest.
            ScriptRun second = ScriptRun.of(folder, Map.of(), "--out", folder.resolve("out").toString(), "run", "true");
            assertTrue(second.errors().contains(" is in use by another run: choose another folder."),
                    second.errors());
        }
    }
}
