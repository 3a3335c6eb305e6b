package org.habitline.staff.web;

import org.jspecify.annotations.Nullable;

/**
 * The envelope of every JSON reply.
 *
 * @param status {@code ok} or {@code error}
 * @param message a sentence, always present with an error
 * @param nextCursor where the next page of a list starts; absent after the last
 */
public record Reply<T>(
    String status, @Nullable String message, @Nullable T result, @Nullable String nextCursor) {

  public static <T> Reply<T> ok(T result) {
    return new Reply<>("ok", null, result, null);
  }

  public static <T> Reply<T> ok(String message, T result) {
    return new Reply<>("ok", message, result, null);
  }

  public static <T> Reply<T> page(T result, @Nullable Object next) {
    return new Reply<>("ok", null, result, next == null ? null : next.toString());
  }

  public static Reply<Void> error(String message) {
    return new Reply<>("error", message, null, null);
  }
}
