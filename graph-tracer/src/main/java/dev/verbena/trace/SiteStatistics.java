package dev.verbena.trace;

/**
 * What a tracer knows of one allocation site.
 *
 * @param name {@code node#ordinal}, or the frames of a call site, innermost first, and {@code #ordinal}
 * @param allocations storage that began here
 * @param byteSize their bytes, all together
 * @param iterationByteSizeMax the most of these in one iteration: what the site takes of the budget
 * @param sends how often storage that began here was sent
 * @param copies those of them that were copied first
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SiteStatistics(String name, SiteState state, long allocations, long byteSize, long iterationByteSizeMax,
        long sends, long copies) {}
