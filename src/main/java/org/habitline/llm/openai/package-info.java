/**
 * Model servers with a Chat Completions API, reached over HTTP with openai-java.
 *
 * <p>{@code OpenAiServer} turns a {@code ModelRequest} into a call ({@code Question}) and its
 * completion into a {@code ModelReply} ({@code Answer}). {@code Quirks} remembers what a server
 * refuses, and requests are adapted to that when they are sent. {@code RequestErrors} sorts
 * failures into {@code ModelFailure}s.
 *
 * <p>Read {@code OpenAiServer}, {@code Quirks} and {@code Answer} first.
 *
 * <p>Nothing is sent again here: openai-java's own retries are off, and {@code RetryingModel} of
 * the package above decides. A server's error text is never logged or shown, because it may quote a
 * participant.
 */
@NullMarked
package org.habitline.llm.openai;

import org.jspecify.annotations.NullMarked;
