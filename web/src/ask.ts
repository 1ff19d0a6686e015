// ask.ts - what a view shows, and keeps up to date: asked once, and again after every commit that concerns it.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask, act, type ApiError, type Input } from "./api";
import { onCommit, onReturn } from "./live";

export interface Asked<T> {
  data: T | undefined;
  error: ApiError | undefined;
  /** Counts answers, so that what changed can be marked. */
  turn: number;
  again: () => void;
}

export interface Question {
  operation: string;
  input?: Input;
  /** Asked with POST: an operation that may write files, but is used here to read. */
  post?: boolean;
  /** Commits of this room, or of this scope of it, are a reason to ask again; without a room any is. */
  room?: string;
  scope?: string;
}

const PATIENCE = 120; // milliseconds in which several commits count as one

export function useAsk<T>(question: Question): Asked<T> {
  const [state, setState] = useState<{ data: T | undefined; error: ApiError | undefined; turn: number }>({
    data: undefined,
    error: undefined,
    turn: 0,
  });
  const key = JSON.stringify(question);
  const current = useRef(key);
  const run = useCallback((): void => {
    const q = JSON.parse(key) as Question;
    const answer = q.post ? act<T>(q.operation, q.input) : ask<T>(q.operation, q.input);
    answer.then(
      (data) => current.current === key && setState((s) => ({ data, error: undefined, turn: s.turn + 1 })),
      (error: ApiError) => current.current === key && setState((s) => ({ ...s, error })),
    );
  }, [key]);
  useEffect(() => {
    if (current.current !== key) setState({ data: undefined, error: undefined, turn: 0 });
    current.current = key;
    run();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onCommit((commit) => {
      const q = JSON.parse(key) as Question;
      if (q.room && (commit.room !== q.room || (q.scope && commit.scope !== q.scope))) return;
      clearTimeout(timer);
      timer = setTimeout(run, PATIENCE);
    });
    const stopReturning = onReturn(run);
    return () => {
      clearTimeout(timer);
      stop();
      stopReturning();
    };
  }, [key, run]);
  return { ...state, again: run };
}

/** The same question about several things; those that fail are left out. */
export function useAskAll<T>(room: string, operation: string, inputs: Input[]): T[] {
  const [answers, setAnswers] = useState<T[]>([]);
  const key = JSON.stringify(inputs);
  useEffect(() => {
    let current = true;
    const run = (): void =>
      void Promise.allSettled((JSON.parse(key) as Input[]).map((input) => ask<T>(operation, input))).then(
        (all) => current && setAnswers(all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))),
      );
    let timer: ReturnType<typeof setTimeout> | undefined;
    run();
    const stop = onCommit((commit) => {
      if (commit.room !== room) return;
      clearTimeout(timer);
      timer = setTimeout(run, PATIENCE);
    });
    const stopReturning = onReturn(run);
    return () => {
      current = false;
      clearTimeout(timer);
      stop();
      stopReturning();
    };
  }, [key, operation, room]);
  return answers;
}
