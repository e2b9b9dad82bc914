"""`benchreg rules`: the pages of the rules."""

import click
from click.shell_completion import CompletionItem

from benchreg.audit.catalogue import all_rules
from benchreg.audit.catalogue import codes as named
from benchreg.cli.main import OK, say
from benchreg.cli.terminal import paint


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the codes that begin so, each with its name."""
    del ctx, param
    return [
        CompletionItem(rule.code, help=rule.name)
        for rule in all_rules()
        if rule.code.startswith(incomplete.upper())
    ]


@click.command("rules")
@click.argument("codes", nargs=-1, shell_complete=complete)
def command(codes: tuple[str, ...]) -> int:
    """Print the page of each rule in CODES (MET004, MET, a name); without one, list them all."""
    style = paint()
    if not codes:
        width = max(len(rule.name) for rule in all_rules())
        for rule in all_rules():
            severity = style(f"{rule.severity.word:<7}", rule.severity.word)
            say(f"{rule.code}  {severity}  {rule.name:<{width}}  {rule.title}")
        return OK
    pages = []
    meant = named(codes)
    for rule in (rule for rule in all_rules() if rule.code in meant):
        head = style(f"{rule.code} {rule.name}", "title")
        pages.append(f"{head} ({rule.standing})\n\n{rule.page}")
    say("\n\n\n".join(pages))
    return OK
