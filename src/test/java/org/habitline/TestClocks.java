package org.habitline;

/** The two clocks of a line under test. */
public record TestClocks(SettableClock study, SettableClock system) {}
