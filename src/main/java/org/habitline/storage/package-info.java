/**
 * What every package needs to work with the database: transactions and actions after them, ids,
 * batches, stored enums. Uses no other package.
 */
@NullMarked
package org.habitline.storage;

import org.jspecify.annotations.NullMarked;
