/**
 * Shared by every page and route: page frames, paging, errors, idempotency, the audit log, the
 * clock and the glossary.
 *
 * <p>Read {@code Actor} (who makes a request, and what they may see), {@code ApiProblem} (a refused
 * request, with a sentence that says what is accepted) and {@code PageFrames} (the frame of every
 * page) first. {@code Reply} is the envelope of every JSON reply; {@code IdempotentAnswers} answers
 * requests that create something once for each {@code Idempotency-Key}.
 *
 * <p>A conversation is never shown before {@code ReadLog} has recorded who reads it. This package
 * knows no other package of {@code staff}.
 */
@NullMarked
package org.habitline.staff.web;

import org.jspecify.annotations.NullMarked;
