/** {@code verbena launch}: a command as several processes, each told which one it is. */
package dev.verbena.cli.launch;
