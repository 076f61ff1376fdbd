package dev.verbena.training;

/**
 * How good a model was on what is held out, at one moment of its training.
 *
 * @param iteration so many were done
 * @param accuracy share of images classified correctly; NaN of a text
 * @param perplexity of a text; NaN of images
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Validation(int iteration, double accuracy, double perplexity) {}
