/**
 * Authentication and authorisation: keys, sessions, roles, login links and chat tokens.
 *
 * <p>Read {@code Access} first, then {@code SessionTokens}. A secret is stored as a hash and never
 * logged.
 */
@NullMarked
package org.habitline.ops.access;

import org.jspecify.annotations.NullMarked;
