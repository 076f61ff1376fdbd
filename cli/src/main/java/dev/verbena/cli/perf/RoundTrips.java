package dev.verbena.cli.perf;

/**
 * Some round trips of a tensor that is answered by one.
 *
 * @param oneWay half of each
 * @param usable after which part of its time, of 1, counted from when its sender knew that it was to send it, a tensor's first bytes could be read, in half of all; 1 where it comes whole
 */
record RoundTrips(LatencyFigures oneWay, double usable) {}
