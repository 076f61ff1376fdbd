package dev.verbena.training.model;

import dev.verbena.training.DataFacts;
import dev.verbena.training.Dataset;
import dev.verbena.training.ImageShape;

/**
 * A model made for photographs: square images of one size in three channels.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
interface PhotographModel extends ImageModel {
    int CHANNELS = 3;

    /** Pixels of an image, across and down. */
    int side();

    @Override
    default Dataset synthetic(long seed) {
        return Dataset.synthetic(new ImageShape(CHANNELS, side(), side()), seed);
    }

    /** @throws IllegalArgumentException if the images are others */
    default ImageShape requireShape(DataFacts data) {
        ImageShape shape = data.image();
        if (!shape.equals(new ImageShape(CHANNELS, side(), side()))) {
            throw new IllegalArgumentException("model=" + title() + " takes images of " + CHANNELS + "x" + side() + "x"
                    + side() + ", and these have " + shape.channels() + "x" + shape.rows() + "x" + shape.columns()
                    + "; without data it draws its own");
        }
        return shape;
    }
}
