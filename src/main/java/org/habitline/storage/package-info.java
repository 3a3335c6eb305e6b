/**
 * The ground floor: what every room needs to work with the database that the line stands on.
 * Transactions and what follows them, ids, batches, how enums are stored. Uses no other room.
 */
@NullMarked
package org.habitline.storage;

import org.jspecify.annotations.NullMarked;
