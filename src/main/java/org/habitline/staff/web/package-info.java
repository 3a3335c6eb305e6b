/**
 * Shared by every page and route: page frames, paging, errors, idempotency, the audit log and the
 * clock.
 */
@NullMarked
package org.habitline.staff.web;

import org.jspecify.annotations.NullMarked;
