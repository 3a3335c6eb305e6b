package org.habitline;

/** The compiler warns of it. A file of its own, because Error Prone reads nothing after a warning. */
final class CompilerWarning {

    java.util.Date ofTheCompiler() {
        return new java.util.Date(2026, 1, 1);
    }
}
