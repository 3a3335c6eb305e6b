/**
 * Keys, sessions, roles and one-time passes: who may do what.
 *
 * <p>Read {@code Access} first, then {@code SessionTokens}. A secret is stored as a hash and never
 * logged.
 */
@NullMarked
package org.habitline.ops.access;

import org.jspecify.annotations.NullMarked;
