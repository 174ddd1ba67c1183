"""Drives the page of a server in headless Chromium as a person would, and fails where it does not do its work.

    page.py URL FOLDER [TOKEN]

The index holds the document https://example.org/first with the text "… red … " and, as its member, a near copy. Pictures of
what was seen are left in FOLDER.
"""

import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

url, folder = sys.argv[1:3]
token = sys.argv[3] if len(sys.argv) > 3 else None


def browser(scheme, width, profile):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        f"--user-data-dir={profile}", f"--window-size={width},1000",
    ]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(60)
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    return driver


def until(driver, what, condition):
    WebDriverWait(driver, 60).until(lambda _: condition(), f"never came: {what}")


def one(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def all_of(driver, selector):
    return driver.find_elements(By.CSS_SELECTOR, selector)


def text_of(driver, selector):
    return " ".join(each.text for each in all_of(driver, selector))


def press(driver, *keys):
    ActionChains(driver).send_keys(*keys).perform()


def check(driver, name):
    """Paste a near copy, by keyboard alone, and read the verdict and the differences."""
    driver.get(url)
    if token:
        until(driver, "the form for a token", lambda: one(driver, "#token-form").is_displayed())
        one(driver, "#token").send_keys("wrong-token-of-many-letters" + Keys.ENTER)
        until(driver, "the form again", lambda: one(driver, "#token-form").is_displayed())
        one(driver, "#token").clear()
        one(driver, "#token").send_keys(token + Keys.ENTER)
    until(driver, "the number of documents", lambda: "documents" in text_of(driver, "#count"))
    assert "2 documents" in text_of(driver, "#count"), text_of(driver, "#count")
    driver.execute_script("document.activeElement.blur()")
    for _ in range(30):
        press(driver, Keys.TAB)
        focused = driver.switch_to.active_element
        if focused.get_attribute("id") == "text":
            break
    else:
        raise AssertionError("the text cannot be reached by keyboard")
    copy = one(driver, "#text")
    words = open(f"{folder}/pasted.txt", encoding="utf-8").read()
    copy.send_keys(words)
    ActionChains(driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
    until(driver, "the verdict", lambda: all_of(driver, "#verdict .badge"))
    assert text_of(driver, "#verdict .badge") == "near", text_of(driver, "#verdict")
    until(driver, "the differences", lambda: all_of(driver, "#verdict .sides"))
    assert text_of(driver, "#verdict del") == "green", text_of(driver, "#verdict del")
    assert text_of(driver, "#verdict ins") == "red", text_of(driver, "#verdict ins")
    assert "<b>not markup</b>" in text_of(driver, "#verdict pre"), "text is shown as text"
    driver.execute_script("document.querySelector('.sides').scrollIntoView({block: 'end'})")
    driver.save_screenshot(f"{folder}/{name}-check.png")


def look_up(driver, name):
    """Follow the match to its document and its cluster, and compare within it."""
    one(driver, "#verdict dd a").send_keys(Keys.ENTER)
    until(driver, "the cluster", lambda: all_of(driver, "#found tbody tr"))
    assert "https://example.org/copy" in text_of(driver, "#found tbody"), text_of(driver, "#found")
    assert one(driver, 'nav a[href="#document"]').get_attribute("aria-current") == "page"
    driver.save_screenshot(f"{folder}/{name}-document.png")
    all_of(driver, "#found tbody a")[-1].send_keys(Keys.ENTER)
    until(driver, "the comparison", lambda: all_of(driver, "#found .sides"))
    driver.back()
    until(driver, "the cluster again", lambda: all_of(driver, "#found tbody tr"))
    # Whoever is impatient sees it once.
    driver.execute_script("for (let i = 0; i < 3; i++) document.querySelector('#document-form button').click()")
    until(driver, "all answers", lambda: not one(driver, "body").get_attribute("aria-busy"))
    time.sleep(0.5)
    assert len(all_of(driver, "#found .card")) == 1, text_of(driver, "#found")
    driver.execute_script("location.hash = '#compare=https%3A%2F%2Fexample.org%2Ffirst'")
    until(driver, "what is missing", lambda: "two documents" in text_of(driver, "#problem"))
    one(driver, "#id").clear()
    one(driver, "#id").send_keys("nobody" + Keys.ENTER)
    until(driver, "what is wrong", lambda: "document_not_found" in text_of(driver, "#problem"))


def state(driver, name):
    """See the figures and the pictures of the index."""
    one(driver, 'nav a[href="#index"]').send_keys(Keys.ENTER)
    loaded = "return [...document.querySelectorAll('.picture')].filter(i => i.complete && i.naturalWidth > 0).length"
    until(driver, "two pictures", lambda: driver.execute_script(loaded) == 2)
    assert "2\ndocuments" in text_of(driver, "#stats .figure"), text_of(driver, "#stats")
    driver.save_screenshot(f"{folder}/{name}-index.png")


def add(driver):
    """Add what was pasted, and see that the index has it."""
    one(driver, 'nav a[href="#check"]').send_keys(Keys.ENTER)
    until(driver, "the view", lambda: one(driver, "#url").is_displayed())
    one(driver, "#url").send_keys("https://example.org/pasted")
    one(driver, "#add-button").click()
    until(driver, "three documents", lambda: "3 documents" in text_of(driver, "#count"))


def limits(driver):
    """What is too much to be shown is said to be."""
    add = """
        const done = arguments[arguments.length - 1];
        const lines = [...Array(206).keys()].map((n) => JSON.stringify({ id: "m" + n, text: "much the same" })).join("\\n");
        post("v1/documents", { id: "long", text: "words and words ".repeat(70000) })
          .then(() => ask("v1/documents:batch", { method: "POST", body: lines }))
          .then((reply) => reply.text())
          .then((text) => done(text.split("\\n").length));
    """
    assert driver.execute_async_script(add) == 207
    one(driver, 'nav a[href="#check"]').send_keys(Keys.ENTER)
    driver.execute_script("document.getElementById('text').value = 'words and words '.repeat(70000)")
    one(driver, "#check-button").click()
    until(driver, "why no differences are shown", lambda: "mebibyte" in text_of(driver, "#verdict .hint"))
    driver.execute_script("location.hash = '#document=m0'")
    until(driver, "the cluster", lambda: all_of(driver, "#found tbody tr"))
    assert "first 200 of 205 members" in text_of(driver, "#found .hint"), text_of(driver, "#found .hint")


def fits(driver):
    """Nothing is wider than the window."""
    wide = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{wide} pixels too wide"


def quiet(driver):
    """Nothing was refused by the policy or failed but what was asked for."""
    for entry in driver.get_log("browser"):
        expected = "status of 404" in entry["message"] or (token and "status of 401" in entry["message"])
        assert expected, entry


for scheme, width in [("light", 1200), ("dark", 420)]:
    with tempfile.TemporaryDirectory() as profile:
        driver = browser(scheme, width, profile)
        try:
            check(driver, scheme)
            fits(driver)
            look_up(driver, scheme)
            fits(driver)
            state(driver, scheme)
            fits(driver)
            if scheme == "dark":
                add(driver)
                limits(driver)
            quiet(driver)
        finally:
            driver.quit()
print("done")
