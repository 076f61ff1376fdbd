package dev.verbena.stress.soak;

import dev.verbena.stress.Words;

/**
 * What a block is filled with, made from a mark that no other block has: small blocks wholly, of large ones a word on each page and the
 * last. Whoever writes into a block that is not his breaks it.
 */
final class Pattern {
    private static final long FILLED_BYTE_SIZE_MAX = 64 * 1024;
    private static final long PAGE_BYTE_SIZE = 4096;
    /** The golden ratio, as Knuth's multiplicative hash takes it: neighbouring words have little in common. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private Pattern() {}

    static void fill(long address, long byteSize, long mark) {
        long wordsEnd = byteSize & -Long.BYTES;
        long step = step(byteSize);
        for (long offset = 0; offset < wordsEnd; offset += step) {
            Words.set(address + offset, word(mark, offset));
        }
        if (wordsEnd > 0) {
            Words.set(address + wordsEnd - Long.BYTES, word(mark, wordsEnd - Long.BYTES));
        }
        for (long offset = wordsEnd; offset < byteSize; offset++) {
            Words.setByte(address + offset, (byte) mark);
        }
    }

    /** The offset of the first word or byte that somebody else has written; -1 if there is none. */
    static long mismatch(long address, long byteSize, long mark) {
        long wordsEnd = byteSize & -Long.BYTES;
        long step = step(byteSize);
        for (long offset = 0; offset < wordsEnd; offset += step) {
            if (Words.get(address + offset) != word(mark, offset)) {
                return offset;
            }
        }
        long last = wordsEnd - Long.BYTES;
        if (last >= 0 && Words.get(address + last) != word(mark, last)) {
            return last;
        }
        for (long offset = wordsEnd; offset < byteSize; offset++) {
            if (Words.getByte(address + offset) != (byte) mark) {
                return offset;
            }
        }
        return -1;
    }

    private static long step(long byteSize) {
        return byteSize <= FILLED_BYTE_SIZE_MAX ? Long.BYTES : PAGE_BYTE_SIZE;
    }

    private static long word(long mark, long offset) {
        return mark ^ offset * SPREAD;
    }
}
