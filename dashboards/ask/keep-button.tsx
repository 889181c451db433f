import { useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useToast } from '../kit/toast.tsx'
import { api, problemText } from './api.ts'
import { shownText } from '../kit/cell-text.ts'
import type { SqlResult } from './contract.ts'
import { queryClient, queryKeys } from './query-client.ts'
import type { Work } from './task.ts'

/** Lets a person say that the SQL answers the question, so that the model learns from it: nothing is kept that nobody looked at. */
export function KeepButton({ work, result }: { readonly work: Work; readonly result: SqlResult }): ReactNode {
  const [isAsking, setIsAsking] = useState(false)
  const say = useToast()
  const { question } = work
  const keeping = useMutation({
    mutationFn: (asked: string) => api.keep({ target: work.target, question: asked, sql: result.sql }),
    onSuccess: () => {
      setIsAsking(false)
      say('Kept as an example.')
      void queryClient.invalidateQueries({ queryKey: queryKeys.kept })
    },
  })
  if (question === undefined || question.trim() === '') return null
  return (
    <span className="end">
      <Button isSmall disabled={keeping.isSuccess} onClick={() => setIsAsking(true)}>
        {keeping.isSuccess ? 'Kept' : 'Keep as an example'}
      </Button>
      {isAsking && (
        <Dialog
          title="Does this SQL answer the question?"
          action="Yes, keep it"
          isBusy={keeping.isPending}
          error={keeping.error === null ? undefined : problemText(keeping.error)}
          onSubmit={() => keeping.mutate(question.trim())}
          onClose={() => setIsAsking(false)}
        >
          <p className="wrap">{shownText(question)}</p>
          <pre className="sql-text" tabIndex={0}>
            {shownText(result.sql)}
          </pre>
          <p className="soft">
            It is shown to the model with questions like this one, for all who use this service, until somebody forgets
            it.
          </p>
        </Dialog>
      )}
    </span>
  )
}
