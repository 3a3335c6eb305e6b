package org.habitline;

import org.jspecify.annotations.NullMarked;

/** Has one violation of the formatting, of NullAway and of Error Prone, which .ci/run puts among the tests. */
@NullMarked
final class Violations {

    String ofNullAway() {
        return null;
    }

    boolean ofErrorProne(String text) {
        return text.equals(text);
    }
}
