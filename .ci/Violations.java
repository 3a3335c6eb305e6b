package org.habitline;

import org.jspecify.annotations.NullMarked;

/** Has one violation of each tool of the profile checks; .ci/run puts it among the tests, and the profile must fail. */
@NullMarked
final class Violations {

    String ofNullAway() {
        return null;
    }

    boolean ofErrorProne(String text) {
        return text.equals(text);
    }

    java.util.Date ofTheCompilersLint() {
        return new java.util.Date(2026, 1, 1);
    }
}
