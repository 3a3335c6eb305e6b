/**
 * Uses tools of other servers over the Model Context Protocol, with the official Java SDK.
 *
 * <p>{@code McpTools} has one {@code McpConnection} for each server that a flow names. A connection
 * lists the server's tools when it connects and once a minute, and makes calls. It makes none
 * twice. Nothing that a server says is logged, because it may quote a participant.
 */
@NullMarked
package org.habitline.tools.mcp;

import org.jspecify.annotations.NullMarked;
