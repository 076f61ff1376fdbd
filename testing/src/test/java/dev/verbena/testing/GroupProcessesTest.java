package dev.verbena.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that are a group, over shared memory. */
@Timeout(180)
class GroupProcessesTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void allHaveTheSameBitsAndHearOfAMemberThatIsKilled(int size) throws IOException, InterruptedException {
        List<Process> members = new ArrayList<>();
        try {
            for (int rank = 0; rank < size; rank++) {
                members.add(ChildJvm.startWithLines(GroupMember.class, Integer.toString(rank)));
            }
            List<String> endpoints = new ArrayList<>();
            for (Process member : members) {
                endpoints.add(member.inputReader().readLine());
            }
            tell(members, String.join(" ", endpoints));
            for (long count : new long[]{1, 16, 1017, 1_000_003}) {
                tell(members, Long.toString(count));
                Set<String> results = new TreeSet<>();
                for (Process member : members) {
                    results.add(member.inputReader().readLine());
                }
                assertEquals(1, results.size(), () -> count + " elements: " + results);
                float sum = Float.parseFloat(results.iterator().next().split(" ")[0]);
                assertEquals(size * (size + 1) / 6f, sum, 1e-5f);
            }
            Process killed = members.removeLast();
            tell(members, "1000000");
            killed.destroyForcibly().waitFor();
            for (Process member : members) {
                String heard = member.inputReader().readLine();
                assertTrue(heard.startsWith("failed: ") && heard.contains("rank " + (size - 1)), heard);
                assertEquals(0, member.waitFor());
            }
        } finally {
            members.forEach(Process::destroyForcibly);
        }
    }

    private static void tell(List<Process> members, String line) throws IOException {
        for (Process member : members) {
            member.outputWriter().write(line);
            member.outputWriter().newLine();
            member.outputWriter().flush();
        }
    }
}
