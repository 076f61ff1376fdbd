package dev.verbena.memory;

import java.util.List;

/**
 * Somebody wrote where no live block is: in front of one, behind one, or into one that was freed. The message names each block with its
 * address, its size, the first wrong byte, and where it was allocated and freed. Whose call it is thrown from need not have done it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class DamagedMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Of a description for each block. */
    public DamagedMemoryException(List<String> damages) {
        super("damaged blocks: " + damages.size() + "\n" + String.join("\n", damages));
    }
}
