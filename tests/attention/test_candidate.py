"""What is at stake with a command: a table of real ones, and what must hold for any text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jarvis_voice.attention.candidate import Consequence, classify
from jarvis_voice.attention.shell import read
from jarvis_voice.boundary import ProposedAction

READS, ORDINARY = "read-only", "ordinary"

# The effect that is expected, or that it only reads, or that it is ordinary work.
COMMANDS = """
read-only    | ls -la
read-only    | cat README.md
read-only    | head -50 src/app.py
read-only    | grep -rn "rm -rf" src
read-only    | rg 'git push' docs
read-only    | git status
read-only    | git log --oneline -5
read-only    | git diff HEAD
read-only    | git --no-pager show HEAD
read-only    | git branch -a
read-only    | git -C sub status
read-only    | find . -name x.py -type f
read-only    | sort names.txt
read-only    | wc -l src/app.py
read-only    | echo hello
read-only    | pwd
read-only    | gh pr view 12
read-only    | gh issue list
read-only    | kubectl get pods
read-only    | docker ps
read-only    | pip list
read-only    | sed -n 1,20p src/app.py
ordinary     | ls > files.txt
ordinary     | ls | tee files.txt
ordinary     | cat $FILE
ordinary     | cat *.py
ordinary     | ls && pwd
ordinary     | ls; pwd
ordinary     | echo `whoami`
ordinary     | echo $(whoami)
ordinary     | ls &
ordinary     | cat < input.txt
ordinary     | ./ls
ordinary     | /bin/cat x
ordinary     | sort -o out.txt in.txt
ordinary     | find . -name x -exec cat {} \\;
ordinary     | find . -fprint out
ordinary     | sed -i s/a/b/ f
ordinary     | sed -n w/out f
ordinary     | git diff --output=x
ordinary     | git branch new
ordinary     | git commit -m "git push later; rm -rf /"
ordinary     | git checkout -b feature
ordinary     | git fetch origin
ordinary     | git pull
ordinary     | git push --dry-run origin main
ordinary     | git stash
ordinary     | git reset HEAD~1
ordinary     | pytest -q
ordinary     | npm install
ordinary     | npm test
ordinary     | npm run build
ordinary     | make
ordinary     | make test
ordinary     | make release-check
ordinary     | cargo publish --dry-run
ordinary     | cargo build
ordinary     | docker build -t x .
ordinary     | docker volume ls
ordinary     | rm -rf node_modules
ordinary     | rm -rf dist build
ordinary     | rm -rf /tmp/scratch
ordinary     | rm old.py
ordinary     | mkdir -p a/b
ordinary     | cp a b
ordinary     | cp .env.example config.txt
ordinary     | curl https://example.com
ordinary     | curl -sSL https://example.com -o page.html
ordinary     | curl -X GET https://example.com/api
ordinary     | curl -G -d q=1 https://example.com/search
ordinary     | curl -X POST http://localhost:8080/items -d '{}'
ordinary     | curl -X DELETE http://127.0.0.1:3000/x
ordinary     | wget https://example.com/a.tar.gz
ordinary     | scp host:log.txt .
ordinary     | rsync -a src/ backup/
ordinary     | gh pr checkout 12
ordinary     | gh api repos/o/r
ordinary     | aws s3 ls
ordinary     | aws ec2 describe-instances
ordinary     | aws s3 cp s3://bucket/a .
ordinary     | terraform plan
ordinary     | kubectl apply --dry-run=client -f a.yaml
ordinary     | helm list
ordinary     | psql -c "select * from users"
ordinary     | python -c "print(1)"
ordinary     | python train.py
ordinary     | python manage.py runserver
ordinary     | ssh host uptime
ordinary     | npm publish --help
ordinary     | alembic history
ordinary     | gcloud compute instances list
git_push     | git push
git_push     | git push origin main
git_push     | git push -u origin feature
git_push     | git -C sub push
git_push     | git -c user.name=x push origin
git_push     | cd app && git push
git_push     | true; git push || true
git_push     | (git push)
git_push     | if true; then git push; fi
git_push     | bash -c "git push origin main"
git_push     | sh -lc 'cd x && git push'
git_push     | sudo -u bob git push
git_push     | GIT_SSH_COMMAND=x git push
git_push     | timeout 60 git push
git_push     | env A=1 nohup git push
git_push     | echo $(git push)
git_push     | echo "`git push`"
git_push     | /usr/bin/git push
git_push     | git add . && git commit -m x && git push 2>&1 | tail -3
git_push     | python -c "import subprocess; subprocess.run(['git', 'push'])"
git_push     | xargs -n 1 git push
force_push   | git push --force origin main
force_push   | git push -f
force_push   | git push --force-with-lease
force_push   | git push origin +main
force_push   | git push origin :old
force_push   | git push --delete origin old
github_write | gh pr merge 12 --squash
github_write | gh pr create --fill
github_write | gh release create v1.0
github_write | gh issue comment 3 -b hi
github_write | gh repo delete o/r --yes
github_write | gh api -X DELETE repos/o/r/issues/1
github_write | gh api repos/o/r/issues -f title=x
github_write | glab mr merge 3
github_write | curl -X POST https://api.github.com/repos/o/r/issues -d '{}'
http_write   | curl -X POST https://example.com/api
http_write   | curl -XDELETE https://example.com/api/1
http_write   | curl -sXPUT https://example.com/api/1 -d @x.json
http_write   | curl --request PATCH https://example.com/api/1
http_write   | curl -d a=1 https://example.com
http_write   | curl --json '{"a":1}' https://example.com
http_write   | curl -F file=@x https://example.com
http_write   | curl -T x https://example.com/x
http_write   | wget --post-data a=1 https://example.com
http_write   | http POST example.com/items name=x
http_write   | python -c "import requests; requests.post('https://example.com')"
publish      | npm publish
publish      | npm publish --access public
publish      | pnpm publish
publish      | yarn npm publish
publish      | twine upload dist/*
publish      | python -m twine upload dist/*
publish      | cargo publish
publish      | poetry publish --build
publish      | uv publish
publish      | gem push x.gem
publish      | docker push org/app:1
publish      | docker buildx build --push -t org/app .
publish      | npm run publish
publish      | make publish
remote_copy  | scp build.tar host:/srv
remote_copy  | scp -r dist user@host.example:/var/www
remote_copy  | rsync -avz dist/ host:/srv/www
remote_copy  | aws s3 sync dist s3://bucket
remote_copy  | gsutil cp a gs://bucket
remote_copy  | rclone copy a remote:b
delete       | rm -rf src
delete       | rm -r data
delete       | rm -fr ~/project
delete       | sudo rm -rf /var/lib/app
delete       | rm -rf node_modules ../other
delete       | rm -rf /tmp/../etc
delete       | rm prod.sqlite3
delete       | rm .env
delete       | find . -name "*.csv" -delete
delete       | find src -exec rm -rf {} \\;
delete       | git reset --hard origin/main
delete       | git clean -fdx
delete       | git branch -D old
delete       | psql -c "DROP TABLE users"
delete       | psql prod -c 'truncate table orders'
delete       | mysql -e "delete from users"
delete       | dropdb prod
delete       | redis-cli flushall
delete       | mongosh --eval "db.dropDatabase()"
force_push   | eval "git push --force"
force_push   | eval git push --force
delete       | docker system prune -af
delete       | docker compose down -v
delete       | aws s3 rm s3://bucket --recursive
delete       | aws ec2 terminate-instances --instance-ids i-1
delete       | gcloud compute instances delete vm1
delete       | ssh prod "rm -rf /srv/app"
delete       | dd if=/dev/zero of=/dev/sda
delete       | python -c "import shutil; shutil.rmtree('data')"
delete       | npx prisma migrate reset
migrate      | alembic upgrade head
migrate      | python manage.py migrate
migrate      | rails db:migrate
migrate      | npx prisma migrate deploy
migrate      | flyway migrate
migrate      | psql -c "alter table users add column x int"
migrate      | psql -c "update users set active = false where id = 1"
deploy       | kubectl apply -f prod.yaml
deploy       | kubectl delete ns prod
deploy       | kubectl -n prod delete pod x
deploy       | terraform apply -auto-approve
deploy       | terraform destroy
deploy       | helm upgrade app ./chart
deploy       | helm uninstall app
deploy       | fly deploy
deploy       | vercel --prod
deploy       | vercel deploy
deploy       | netlify deploy --prod
deploy       | npm run deploy
deploy       | make deploy
deploy       | npx wrangler deploy
deploy       | firebase deploy
deploy       | ansible-playbook site.yml
deploy       | ssh prod "systemctl restart api"
deploy       | pulumi up --yes
spend        | aws ec2 run-instances --count 5
spend        | gcloud compute instances create vm1
spend        | az vm create -n x
spend        | doctl compute droplet create x
spend        | stripe charges create
delete       | psql -h db.example -c "drop table x"
deploy       | docker -H tcp://prod stack deploy -c a.yml app
spend        | curl -X POST https://api.stripe.com/v1/charges -d amount=100
credentials  | echo KEY=1 > .env
credentials  | echo KEY=1 >> app/.env.production
credentials  | cp key.txt ~/.ssh/id_ed25519
credentials  | ssh-keygen -t ed25519
credentials  | gh secret set TOKEN
credentials  | docker login
credentials  | aws iam create-access-key
credentials  | kubectl create secret generic x
credentials  | tee -a ~/.ssh/authorized_keys
credentials  | vault kv put secret/x a=b
send         | mail -s hi ann@example.com
send         | sendmail ann@example.com
send         | curl -X POST https://hooks.slack.com/services/x -d '{}'
send         | aws ses send-email --to x
final_record | echo '{}' > results/final.json
final_record | cp draft.json results/final.json
final_record | cat draft.json | tee results/final.json
final_record | python -c "open('results/final.json','w').write('x')"
"""
TABLE = [
    tuple(part.strip() for part in line.split("|", 1)) for line in COMMANDS.splitlines() if line
]


@pytest.mark.parametrize(("expected", "command"), TABLE, ids=[row[1] for row in TABLE])
def test_a_command_is_judged(
    expected: str, command: str, shell: Callable[..., ProposedAction]
) -> None:
    found = classify(shell(command.replace("\\\\", "\\")))
    if found.consequence is Consequence.CONSEQUENTIAL:
        assert found.effect == expected
        assert found.final_record is (expected == "final_record")
    else:
        assert found.consequence.value == expected


def test_the_table_is_long() -> None:
    assert len(TABLE) >= 120
    assert len(set(TABLE)) == len(TABLE)


def test_a_here_document_is_data_for_a_reader_and_code_for_a_shell(
    shell: Callable[..., ProposedAction],
) -> None:
    body = "<<EOF\ngit push\nEOF\n"
    assert classify(shell(f"cat {body}")).effect == ""
    assert classify(shell(f"bash {body}")).effect == "git_push"
    assert classify(shell(f"cat {body}git push --force\n")).effect == "force_push"
    assert classify(shell("psql <<EOF\ndrop table x;\nEOF")).effect == "delete"


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        *[(name, READS) for name in "Read Grep Glob LS WebFetch WebSearch TodoWrite".split()],
        *[(name, READS) for name in "update_plan read_file list_directory memory_search".split()],
        *[(name, ORDINARY) for name in "Task Write Skill mcp__db__query mcp__x__get_it".split()],
        ("mcp__slack__post_message", "send"),
        ("mcp__gmail__send", "send"),
        ("message", "send"),
        ("mcp__github__merge_pull_request", "github_write"),
        ("mcp__github__create_issue", "github_write"),
        ("mcp__shop__purchase_item", "spend"),
        ("mcp__db__drop_table", "delete"),
        ("deployService", "deploy"),
    ],
)
def test_a_tool_is_judged_by_its_name(
    tool: str, expected: str, call: Callable[..., ProposedAction]
) -> None:
    found = classify(call(tool))
    assert (found.effect or found.consequence.value) == expected


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        (".env", True),
        ("/home/ann/app/.env.local", True),
        ("/home/ann/.ssh/config", True),
        ("deploy/secrets.yaml", True),
        ("certs/server.pem", True),
        (".env.example", False),
        ("src/environment.py", False),
        ("id_rsa.pub", False),
        ("docs/secrets.md", False),
    ],
)
def test_writing_secrets_is_noticed(
    path: str, secret: bool, call: Callable[..., ProposedAction]
) -> None:
    found = classify(call("Write", files=(path,), content="x"))
    assert (found.effect == "credentials") is secret


@pytest.mark.parametrize(
    ("content", "reason", "quote"),
    [
        ('{"owner": "TBD"}', "placeholder", "TBD"),
        ('{"owner": "<your name>"}', "placeholder", "<your name>"),
        ('{"approval": "pending approval"}', "placeholder", "pending approval"),
        ('{"question_for_requester": "Which city?"}', "requester_question", "Which city?"),
        ('{"open_questions": ["Who pays?", "When?"]}', "requester_question", "Who pays?"),
        ('{"question_for_requester": ""}', "final_record", ""),
        ('{"html": "<b>done</b>", "n": 3}', "final_record", ""),
    ],
)
def test_what_is_open_in_a_final_record_is_quoted(
    content: str, reason: str, quote: str, call: Callable[..., ProposedAction]
) -> None:
    found = classify(call("Write", files=("/w/results/final.json",), content=content))
    assert found.final_record
    assert found.reasons[0] == reason
    assert found.quote == quote
    assert quote in content


def test_the_place_of_final_records_can_be_declared(call: Callable[..., ProposedAction]) -> None:
    action = call("Write", files=("/w/out/verdict.md",), content="TBD")
    assert not classify(action).final_record
    assert classify(action, ("out/verdict.md",)).final_record


texts = st.text() | st.text("abgitpush rmf-/.$`'\"\\|&;<>(){}*\n=#~!", max_size=60)


@given(texts)
@example("$(" * 3000)
@example("`" * 3001)
@example("'" + "\\" * 50)
@example("<<" * 500)
@example("bash -c " * 300)
@example("\ud800")
def test_no_text_is_too_odd(command: str) -> None:
    action = ProposedAction("x", "p", "r", "a", "Bash", command, "f", 0.0, command=command)
    found = classify(action)
    if found.quote:
        assert (
            found.quote
            in {
                "command": command,
                "content": "",
                "summary": command,
                "tool": "Bash",
                "files": "",
            }[found.quote_field]
        )


@given(texts, st.sampled_from([">", ">>", "|", ";", "&&", "$", "`", "&", "\n", "<", "*"]), texts)
def test_nothing_with_shell_syntax_is_claimed_to_only_read(
    before: str, syntax: str, after: str
) -> None:
    command = f"ls {before}{syntax}{after} x"
    if re.search(r"['\"\\#]", command):
        return  # quoted or commented out, it may be data
    action = ProposedAction("x", "p", "r", "a", "Bash", "", "f", 0.0, command=command)
    assert classify(action).consequence is not Consequence.READ_ONLY


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_no_tool_is_too_odd(tool: str, content: str, files: list[str]) -> None:
    files = [*files, "results/final.json"]
    action = ProposedAction(
        "x", "p", "r", "a", tool, "", "f", 0.0, files=tuple(files), content=content
    )
    found = classify(action)
    assert found.final_record
    assert found.quote in content or found.quote_field != "content"


@given(st.text("gitpush -f'\"\\ \n$(){}<>|&;", max_size=200))
def test_reading_a_command_is_bounded(command: str) -> None:
    assert len(read(command).commands) <= 4 * len(command) + 1
