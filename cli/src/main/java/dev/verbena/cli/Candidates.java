package dev.verbena.cli;

import java.util.Iterator;
import java.util.List;

/**
 * The words that an option may be given, for its help and for the shell's completion.
 *
 * <p><b>Owner:</b> picocli. <b>Threading:</b> immutable.
 */
public abstract class Candidates implements Iterable<String> {
    /** Asked for when they are needed: all commands are described whenever one of them runs. */
    protected abstract List<String> words();

    /** @throws BadInputException if the option was given another word */
    public final void require(String option, String word) {
        List<String> words = words();
        if (!words.contains(word)) {
            throw new BadInputException(option + "=" + word + " is unknown; give "
                    + String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast());
        }
    }

    @Override
    public final Iterator<String> iterator() {
        return words().iterator();
    }
}
