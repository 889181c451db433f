import { DefaultChatTransport } from 'ai'
import type { UIMessageChunk } from 'ai'
import type { ChatMessage } from './contract.ts'
import { historyToSend } from './history-to-send.ts'
import { mergeDeltas } from './merge-deltas.ts'
import { ChatProblem, problemOf } from './problem.ts'
import { bearer, callChat } from './settings.ts'

const api = '/api/chat'

/** So often a person sees an answer grow. */
const growsEveryMs = 40

class AnswerTransport extends DefaultChatTransport<ChatMessage> {
  protected override processResponseStream(stream: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    return super.processResponseStream(stream).pipeThrough(mergeDeltas(growsEveryMs))
  }
}

/** How questions go to the service. The token is the one that the tab has when a question is sent. */
export const transport = new AnswerTransport({
  api,
  headers: () => bearer(),
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
    body: { ...body, id, trigger, messageId, messages: historyToSend(messages) },
  }),
  fetch: async (_, init = {}) => {
    const response = await callChat(api, init)
    if (!response.ok) throw await problemOf(response)
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      await response.body?.cancel()
      throw new ChatProblem(
        502,
        'not-the-chat',
        'What answered is not the chat. Whatever stands before it may be set wrongly.',
      )
    }
    return response
  },
})
