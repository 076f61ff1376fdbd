/**
 * Where native code is called: the functions that are no symbols, errno, raw memory, lifetimes and the guard that keep an object
 * from being destroyed under a call, and the check that layouts are those of this machine. Hidden; of what stands above it knows
 * {@link dev.verbena.verbs.VerbsException} alone.
 */
package dev.verbena.verbs.ffi;
