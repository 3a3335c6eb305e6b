/**
 * Offers a participant's tools over the Model Context Protocol, at {@code /mcp}.
 *
 * <p>{@code McpController} finds the participant and hands each message to {@code ToolServer},
 * which answers it with the server of the protocol's official SDK. {@code conversation.calls} runs
 * the tools. There are no sessions: any node answers any message.
 */
@NullMarked
package org.habitline.staff.mcp;

import org.jspecify.annotations.NullMarked;
