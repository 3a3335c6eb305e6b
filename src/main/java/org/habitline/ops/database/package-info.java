/**
 * The database as a server: connections, the making of its tables, backups, erasure.
 *
 * <p>Read {@code DatabaseChoice} first, then {@code Schema}. On H2 one process has one writer at a
 * time, and one write to the file stores what several committed ({@code H2WriteLock}). An erasure
 * must survive the restore of an older backup ({@code ErasedAgain}).
 */
@NullMarked
package org.habitline.ops.database;

import org.jspecify.annotations.NullMarked;
