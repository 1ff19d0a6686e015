// api.ts - asks the server: one operation, its answer or its fault. A report (a scope exported as HTML) has no server:
// it carries the answers with it.

export interface Fault {
  error_code: string;
  message: string;
  field?: string;
  suggestion?: string;
  errors?: Fault[];
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly fault: Fault,
  ) {
    super(fault.message);
  }
}

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value | undefined };
export type Input = { [key: string]: Value | undefined };

export interface Report {
  scope: string;
  answers: Record<string, unknown>;
}

function readReport(): Report | undefined {
  const island = document.getElementById("report");
  return island ? (JSON.parse(island.textContent ?? "") as Report) : undefined;
}

/** Set when the page is a report. */
export const report = readReport();

function recorded<T>(operation: string): T {
  if (report && operation in report.answers) return report.answers[operation] as T;
  throw new ApiError(404, { error_code: "not_found", message: `the report does not have the answer of ${operation}` });
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, { error_code: "no_json", message: `the server answered ${response.status}` });
  }
  if (!response.ok) throw new ApiError(response.status, body as Fault);
  return body as T;
}

function query(input: Input): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(input))
    if (value !== undefined && value !== null)
      parameters.append(key, typeof value === "object" ? JSON.stringify(value) : String(value));
  const text = parameters.toString();
  return text ? `?${text}` : "";
}

/** An operation that changes nothing. */
export async function ask<T>(operation: string, input: Input = {}, signal?: AbortSignal): Promise<T> {
  if (report) return recorded<T>(operation);
  return read<T>(await fetch(`/api/${operation}${query(input)}`, signal ? { signal } : {}));
}

const remembered = "conclave-person";

/** Who acts at this page; empty: nobody has said so. */
export const person = (): string => localStorage.getItem(remembered) ?? "";

export const rememberPerson = (name: string): void => localStorage.setItem(remembered, name);

/** Without a token the server takes a person's word for it; with one, the token counts. */
const claim = (): Record<string, string> => (person() ? { "Conclave-As": encodeURIComponent(person()) } : {});

/** Any operation. */
export async function act<T>(operation: string, input: Input = {}): Promise<T> {
  if (report) return recorded<T>(operation);
  return read<T>(
    await fetch(`/api/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...claim() },
      body: JSON.stringify(input),
    }),
  );
}

/** Exchanges a token for a cookie that no script can read. */
export async function signIn(token: string): Promise<void> {
  const response = await fetch("/api/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) await read(response);
}
