/**
 * What {@code dev.verbena.verbs.cm} needs of {@code dev.verbena.verbs} beyond its public types, as Java has no packages that are
 * friends: declared here, done there. Hidden.
 */
package dev.verbena.verbs.bridge;
