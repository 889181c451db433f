import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../kit/api.ts'
import { Icon } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import type { Conversation } from '../conversation.ts'
import type { ChatMessage } from '../messages.ts'
import { newFeedback, rateAnswer, removeRatings } from '../shares.ts'
import type { Rating } from '../shares.ts'
import type { Thread } from '../thread-text.ts'
import { setThreadFeedback, useThreads } from '../threads.ts'

const reasons = {
  good: [
    ['correct', 'The data is correct'],
    ['well-explained', 'Well explained'],
    ['good-chart', 'Helpful chart'],
  ],
  bad: [
    ['wrong-data', 'The data is wrong'],
    ['misunderstood', 'It misunderstood the question'],
    ['wrong-chart', 'Unsuitable or missing chart'],
    ['incomplete', 'Incomplete'],
    ['refused', 'It refused to answer'],
  ],
} as const

const ratings = [
  { rating: 'good', label: 'Good answer', title: 'What is good about this answer?' },
  { rating: 'bad', label: 'Bad answer', title: 'What is wrong with this answer?' },
] as const

const maxComment = 1000

interface FeedbackProps {
  readonly conversation: Conversation
  readonly message: ChatMessage
}

/** Nothing until the chat is saved: without its key, ratings could not be deleted. */
export function Feedback({ conversation, message }: FeedbackProps): ReactNode {
  const [open, setOpen] = useState<(typeof ratings)[number]>()
  const thread = useThreads().list.find(({ id }) => id === conversation.id)
  const removing = useMutation({
    mutationFn: async ({ id, feedback }: Thread) => {
      if (feedback === undefined) return
      await removeRatings([feedback], message.id)
      const { [message.id]: _, ...rest } = feedback.ratings
      await setThreadFeedback(id, { ...feedback, ratings: rest })
    },
  })
  if (thread === undefined) return null
  const given = thread.feedback?.ratings[message.id]?.rating
  return (
    <>
      {ratings.map((each) => (
        <button
          key={each.rating}
          type="button"
          className={`copy thumb ${each.rating}`}
          aria-label={each.label}
          aria-pressed={given === each.rating}
          title={given === each.rating ? 'Remove this rating' : each.label}
          disabled={removing.isPending}
          onClick={() => (given === each.rating ? removing.mutate(thread) : setOpen(each))}
        >
          <Icon name="thumb" size={14} />
        </button>
      ))}
      {removing.error !== null && <span role="alert">{problemText(removing.error)}</span>}
      {open !== undefined && (
        <RateDialog {...open} {...{ thread, conversation, message }} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

interface RateDialogProps extends FeedbackProps {
  readonly thread: Thread
  readonly rating: Rating['rating']
  readonly title: string
  readonly onClose: () => void
}

function RateDialog({ conversation, message, thread, rating, title, onClose }: RateDialogProps): ReactNode {
  const [reason, setReason] = useState<Rating['reason']>(reasons[rating][0][0])
  const [comment, setComment] = useState('')
  const id = useId()
  const sending = useMutation({
    mutationFn: async () => {
      const feedback = thread.feedback ?? newFeedback()
      await setThreadFeedback(thread.id, feedback)
      const { messages } = conversation.chat
      const until = messages.findIndex((each) => each.id === message.id)
      await rateAnswer(feedback, { rating, reason, comment: comment.trim() }, messages.slice(0, until + 1))
      await setThreadFeedback(thread.id, {
        ...feedback,
        ratings: { ...feedback.ratings, [message.id]: { rating, reason } },
      })
    },
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={title}
      action={sending.isPending ? 'Sending…' : 'Send'}
      isBusy={sending.isPending}
      error={sending.error === null ? undefined : problemText(sending.error)}
      onSubmit={() => sending.mutate()}
      onClose={onClose}
    >
      <fieldset className="reasons">
        <legend className="visually-hidden">Reason</legend>
        {reasons[rating].map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              className="check"
              name={id}
              checked={value === reason}
              onChange={() => setReason(value)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <div className="field">
        <label htmlFor={`${id}-comment`}>Comment (optional)</label>
        <textarea
          id={`${id}-comment`}
          className="input"
          value={comment}
          maxLength={maxComment}
          onChange={(event) => setComment(event.target.value)}
        />
      </div>
      <p className="soft">
        The server stores your questions, this answer, its SQL and charts, without result rows, until you delete the
        chat.
      </p>
    </Dialog>
  )
}
