/**
 * Operations among all members of a group: algorithms over static placement, one after the other. Users see {@code Group} of the package
 * above.
 */
package dev.verbena.transfer.group;
