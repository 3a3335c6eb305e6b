/**
 * Safety incidents on the pages and over REST, for people with the role safety: who may be in
 * danger, what was sent to them, and what staff did. Every read and every change is in the audit
 * log.
 */
@NullMarked
package org.habitline.staff.safety;

import org.jspecify.annotations.NullMarked;
